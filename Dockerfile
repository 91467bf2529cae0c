# Clew's page in a container; docs/compose.yaml starts it beside Ollama and Elasticsearch.
# UNTESTED: it was written where there is no Docker.
# --build-arg PIP_EXTRA_INDEX_URL=...: the address that pytorch.org shows for "CPU", for an image without CUDA.
FROM python:3.11-slim
ARG PIP_EXTRA_INDEX_URL
WORKDIR /opt/clew
COPY . .
RUN pip install --no-cache-dir -c constraints.txt setuptools torch \
 && pip install --no-cache-dir -c constraints.txt --no-build-isolation '.[elasticsearch,loaders,mcp,models,multilingual,ocr,watch]' \
 && useradd --create-home --uid 1000 clew \
 && install -d -o clew /data
USER clew
WORKDIR /data
ENV CLEW_HOME=/data/home CLEW_CACHE=/data/cache CLEW_LIBRARY=/data/library HF_HUB_OFFLINE=1
VOLUME /data
EXPOSE 7860
ENTRYPOINT ["clew"]
CMD ["--help"]
