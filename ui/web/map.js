// The map of the library: what the server has placed, drawn by Cytoscape, which is fetched when it is first needed.
(() => {
  const { dialog, asked, fill, shell, open } = window.clew
  const APART = 10, GOLDEN = Math.PI * (3 - Math.sqrt(5)) // as seeds lie in a sunflower (Vogel 1979): none in another's way
  let picture = null, shown = null, waiting = 0

  const box = () => dialog('map', 'Map')
  const $ = (selector) => box().querySelector(selector)
  const colour = (name) => getComputedStyle(box()).getPropertyValue(name).trim()
  const thread = () => new URL(location.href).searchParams.get('thread') ?? ''

  let fetched
  const library = () => (fetched ??= new Promise((done) => {
    const script = Object.assign(document.createElement('script'), { src: '/cytoscape.min.js', onload: done, onerror: () => { fetched = null; done() } })
    document.head.append(script)
  }))

  async function show(turn) {
    if (!box().open) { fill(box(), shell('Map')); box().showModal() }
    const [told] = await Promise.all([asked(`/map?${new URLSearchParams({ thread: thread(), turn })}`), library()])
    picture?.destroy()
    picture = null
    fill(box(), told.html ?? shell(told.said))
    if (!told.map || !window.cytoscape || !box().open) return
    shown = told.map
    draw()
  }

  function elements() {
    const made = [], lit = shown.discs.some((disc) => disc[3])
    shown.discs.forEach(([number, name, size, own, x, y, radius]) => {
      const hue = Math.round(number * 137.5) % 360
      made.push({ data: { id: `p${number}`, number, name, wide: 2 * radius, hue }, position: { x, y }, classes: `disc ${own ? 'lit own' : lit ? '' : 'lit'}` })
    })
    const litNow = new Set(shown.discs.filter((disc) => disc[3] || !lit).map((disc) => disc[0]))
    const discs = new Map(shown.discs.map((disc) => [disc[0], disc])), taken = new Map()
    shown.dots.forEach(([id, name, number], n) => {
      const [, , , , left, top] = discs.get(number), seed = taken.get(number) ?? 0
      const [x, y] = [left + APART * Math.sqrt(seed + 0.5) * Math.cos(seed * GOLDEN), top + APART * Math.sqrt(seed + 0.5) * Math.sin(seed * GOLDEN)]
      taken.set(number, seed + 1)
      made.push({ data: { id: `n${n}`, passage: id, name, number, hue: Math.round(number * 137.5) % 360 }, position: { x, y }, classes: `dot ${litNow.has(number) ? 'lit' : ''}` })
    })
    shown.bridges.forEach(([one, other, edges]) => made.push({ data: { source: `p${one}`, target: `p${other}`, wide: (1 + Math.log2(edges)) / 2 }, classes: 'bridge' }))
    shown.lines.forEach(([one, other]) => made.push({ data: { source: `n${one}`, target: `n${other}` }, classes: 'line' }))
    shown.walk.forEach(([dot, before], place) => {
      const from = before < 0 ? -1 : shown.walk[before][0]
      if (dot >= 0 && from >= 0) made.push({ data: { id: `w${place}`, source: `n${from}`, target: `n${dot}` }, classes: 'way' })
    })
    return made
  }

  function style() {
    const dark = document.body.classList.contains('dark'), [ink, dim, accent, card, paper] = ['--ink', '--dim', '--accent', '--card', '--paper'].map(colour)
    const shade = (lit) => (one) => `hsl(${one.data('hue')}, ${lit ? 60 : 25}%, ${dark ? (lit ? 62 : 45) : (lit ? 42 : 66)}%)`
    const text = { 'font-family': 'system-ui, sans-serif', color: ink, 'text-wrap': 'wrap', 'text-background-color': paper, 'text-background-opacity': 0.85 }
    return [
      { selector: 'core', style: { 'active-bg-opacity': 0 } },
      { selector: '*', style: { 'z-index-compare': 'manual', 'overlay-opacity': 0 } },
      { selector: '.disc', style: { ...text, width: 'data(wide)', height: 'data(wide)', 'background-color': shade(false), 'background-opacity': 0.12, label: 'data(name)', color: dim, 'text-valign': 'top', 'z-index': 1 } },
      { selector: '.disc.lit', style: { 'background-color': shade(true), 'background-opacity': 0.16, color: ink } },
      { selector: '.disc.own', style: { 'font-weight': 600 } },
      { selector: '.dot', style: { ...text, width: 6, height: 6, 'background-color': shade(false), label: 'data(name)', 'font-size': 2.2, 'min-zoomed-font-size': 8, 'text-opacity': 0, 'z-index': 3 } },
      { selector: '.dot.lit', style: { 'background-color': shade(true) } },
      { selector: 'edge', style: { 'curve-style': 'haystack', 'line-color': dim, events: 'no' } },
      { selector: '.line', style: { width: 0.5, opacity: 0.22, 'z-index': 2 } },
      { selector: '.bridge', style: { width: 'data(wide)', opacity: 0.1, 'z-index': 0 } },
      { selector: '.way', style: { 'curve-style': 'bezier', 'target-arrow-shape': 'triangle', 'line-color': accent, 'target-arrow-color': accent, opacity: 1, 'z-index': 5 } },
      { selector: '.landed', style: { 'border-width': 1.5, 'border-color': accent, 'z-index': 4 } },
      { selector: '.walked', style: { 'background-color': accent, 'border-color': card, 'font-weight': 600, 'min-zoomed-font-size': 0, 'z-index': 6 } },
      { selector: '.near', style: { 'border-width': 1.5, 'border-color': ink, 'z-index': 7 } },
      { selector: '.disc.near', style: { 'border-width': 0, 'background-opacity': 0.28, 'z-index': 1 } },
    ]
  }

  function draw() {
    picture = window.cytoscape({ container: $('.picture'), elements: elements(), style: style(), layout: { name: 'preset' }, autoungrabify: true, boxSelectionEnabled: false, selectionType: 'single', minZoom: 0.05, maxZoom: 7, hideEdgesOnViewport: shown.dots.length > 1000 })
    const went = new Set(shown.walk.flatMap(([, before], place) => before < 0 ? [] : [place, before]))
    let steps = 0 // as the list beside counts them
    shown.walk.forEach(([dot], place) => {
      if (dot < 0) return
      if (went.has(place)) picture.$id(`n${dot}`).addClass('walked').data('told', `${++steps} ${shown.dots[dot][1]}`)
      else picture.$id(`n${dot}`).addClass('landed')
    })
    picture.on('viewport', () => { waiting ||= requestAnimationFrame(() => { waiting = 0; if (picture) arrange() }) })
    picture.on('resize', whole) // its size may be known later than it is drawn
    picture.on('tap', '.dot', (event) => open({ id: event.target.data('passage') }, {}))
    picture.on('tap', '.disc', (event) => list(event.target.data('number')))
    picture.on('mouseover', 'node', ({ target }) => point(target))
    picture.on('mouseout', 'node', () => point())
    whole()
  }

  function whole() {
    picture.$('.disc, .walked').style('font-size', 1) // names take no room of what is fitted
    picture.fit(undefined, 36)
    arrange()
  }

  function point(node) {
    picture.$('.near').removeClass('near')
    node?.addClass('near')
    $('.pointed').textContent = node?.data('name') ?? ''
    $('.picture').style.cursor = node ? 'pointer' : ''
  }

  // No name lies on another, or stands away from what it names. Those of the walk come first: one for which there is no
  // room is its number, as in the list beside, and others are not to be seen until there is room beside the dots, too.
  function arrange() {
    const pen = document.createElement('canvas').getContext('2d'), zoom = picture.zoom(), [wide, high] = [picture.width(), picture.height()], LABEL = wide < 500 || picture.$('.disc').length > 30 ? 11 : 13, GAP = 3, taken = []
    const free = ([left, top, right, bottom]) => left > 0 && right < wide && top > 0 && bottom < high && taken.every((other) => left > other[2] || right < other[0] || top > other[3] || bottom < other[1])
    const place = (node, text, size, most, ways) => {
      pen.font = `600 ${size}px system-ui, sans-serif`
      const { x, y } = node.renderedPosition(), radius = node.renderedWidth() / 2 + GAP, whole = pen.measureText(text).width + 4
      const width = Math.min(whole, most), height = Math.ceil(whole / most + 0.15) * size * 1.25
      const corners = { right: [x + radius, y - height / 2], left: [x - radius - width, y - height / 2], bottom: [x - width / 2, y + radius], top: [x - width / 2, y - radius - height] }
      const around = (way) => [...corners[way], corners[way][0] + width, corners[way][1] + height]
      const way = ways.find((one) => free(around(one)))
      if (way) taken.push(around(way))
      node.style({ 'font-size': size / zoom, 'text-max-width': most / zoom, 'text-halign': ['left', 'right'].includes(way) ? way : 'center', 'text-valign': ['top', 'bottom'].includes(way) ? way : 'center', 'text-margin-x': ({ left: -GAP, right: GAP }[way] ?? 0) / zoom, 'text-margin-y': ({ top: -GAP, bottom: GAP }[way] ?? 0) / zoom, 'text-opacity': way ? 1 : 0, 'text-background-opacity': way ? 0.85 : 0 })
      return way
    }
    const call = (disc) => place(disc, disc.data('name'), LABEL, Math.max(disc.renderedWidth(), LABEL * 7), ['top'])
    const seen = picture.$('.dot').filter((dot) => { const { x, y } = dot.renderedPosition(); return x > 0 && x < wide && y > 0 && y < high })
    picture.batch(() => {
      picture.$('.way').style({ width: 2.5 / zoom, 'arrow-scale': 40 / zoom / Math.max(29, (2.5 / zoom * 13.37) ** 0.9) }) // as Cytoscape counts
      picture.$('.walked').style({ width: Math.max(6, 15 / zoom), height: Math.max(6, 15 / zoom) })
      const stands = (dot) => { const { x, y } = dot.renderedPosition(), radius = dot.renderedWidth() / 2; if (radius > 2.5) taken.push([x - radius, y - radius, x + radius, y + radius]) }
      picture.$('.walked').forEach(stands)
      picture.$('.walked').forEach((node) => {
        const way = place(node, node.data('told'), LABEL, LABEL * 14, ['right', 'left', 'top', 'bottom'])
        node.style(way ? { label: node.data('told'), color: colour('--ink') } : { label: parseInt(node.data('told')), color: colour('--on-accent'), 'font-size': 9 / zoom, 'text-opacity': 1 })
      })
      seen.not('.walked').forEach(stands)
      picture.$('.disc.lit').forEach(call)
      picture.$('.disc').not('.lit').forEach(call)
      if (2.2 * zoom > 8) seen.not('.walked').forEach((dot) => place(dot, dot.data('name'), 2.2 * zoom, 16 * zoom, ['bottom', 'top', 'right', 'left']))
    })
  }

  // The passages of a partition stand below its name, and the picture goes there.
  function list(number) {
    const button = $(`[data-partition="${number}"]`), was = button.getAttribute('aria-expanded') === 'true'
    box().querySelectorAll('[aria-expanded=true]').forEach((one) => { one.setAttribute('aria-expanded', false); one.nextElementSibling.remove() })
    if (was) { whole(); return }
    const disc = picture.$id(`p${number}`)
    const items = shown.dots.filter((dot) => dot[2] === number).map(([id, name]) => {
      const item = document.createElement('li')
      item.append(Object.assign(document.createElement('button'), { type: 'button', textContent: name }))
      item.firstChild.dataset.document = id
      return item
    })
    const passages = document.createElement('ul')
    passages.append(...items)
    button.setAttribute('aria-expanded', true)
    button.after(passages)
    button.scrollIntoView({ block: 'nearest' })
    const { x, y } = disc.position(), [wide, high] = [picture.width(), picture.height()], zoom = Math.min(wide, high - 60) / disc.data('wide') * 0.95
    picture.animate({ zoom, pan: { x: wide / 2 - zoom * x, y: high / 2 + 15 - zoom * y }, duration: 250 })
  }

  document.addEventListener('click', (event) => {
    const on = (name) => event.target.closest(`[data-${name}]`)?.dataset[name]
    if (on('map') !== undefined) show(Number(on('map')))
    else if (on('partition') && picture) list(Number(on('partition')))
    else if (on('view') === 'all' && picture) whole()
    else if (on('view') && picture) picture.zoom({ level: picture.zoom() * on('view'), renderedPosition: { x: picture.width() / 2, y: picture.height() / 2 } })
  })
})()
