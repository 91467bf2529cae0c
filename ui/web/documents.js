// The list of documents, and a document opened at a passage: pieces of HTML that the server makes, shown in two dialogs.
(() => {
  const $ = (selector, within = document) => within.querySelector(selector)
  const made = (id, label) => {
    const dialog = Object.assign(document.createElement('dialog'), { id })
    dialog.setAttribute('aria-label', label)
    dialog.addEventListener('close', () => id === 'documents' ? say('') : dialog.querySelectorAll('.sending, .changed, .checks').forEach((one) => one.replaceChildren()))
    $('.gradio-container .contain').append(dialog)
    return dialog
  }
  const dialog = (id, label) => document.getElementById(id) ?? made(id, label)
  const list = () => dialog('documents', 'Documents'), paper = () => dialog('document', 'Document')
  const show = (one) => { if (!one.open) one.showModal() }
  let find = '', by = 'name', state = null, busy = '', said = '', place = {}

  async function asked(path, options) {
    const answer = await fetch(path, options).catch(() => null) // the server is gone
    return await answer?.json().catch(() => null) ?? { said: 'The server does not answer: start clew ui again.' }
  }

  function say(text) {
    said = text
    const place = $('.sending', list())
    if (place) place.textContent = said
  }

  // What changes while it is looked at: the count in the head, and the list where it is open.
  async function look() {
    const open = list().open
    const told = await asked(`/documents?${new URLSearchParams({ find, by, html: open })}`)
    if (open && told.said) say(told.said)
    if (open && (told.html ?? !$('.sending', list()))) fill(list(), told.html ?? shell(told.said))
    if (told.state === undefined) return
    const words = told.busy ? 'reading…' : `${told.count} document${told.count === 1 ? '' : 's'}`
    if (told.state) document.querySelectorAll('.count[data-documents]').forEach((one) => { if (one.textContent !== words) one.textContent = words })
    if (state !== null && told.state !== state && $('.welcome')) window.clew.send('open', '') // what it offers is of the library
    state = told.state
    busy = told.busy
  }

  function shell(text) {
    const words = Object.assign(document.createElement('h2'), { textContent: text }).outerHTML
    return `<header>${words}<button type="button" class="close" data-close aria-label="Close">×</button></header>`
  }

  function fill(dialog, html) {
    window.clew.become(dialog, new DOMParser().parseFromString(html, 'text/html').body)
    if (!$('[name=by]', dialog)) return
    $('[name=by]', dialog).value = by
    say(said)
  }

  async function change(action, path) {
    say((await asked(`/documents?${new URLSearchParams({ do: action, path })}`, { method: 'POST' })).said ?? '')
    look()
  }

  // Files, each with its path below the folder that was chosen.
  async function send(files) {
    show(list())
    await look()
    const chosen = files.filter(([path]) => !path.split('/').some((part) => part.startsWith('.')))
    const refused = []
    for (const [place, [path, file]] of chosen.entries()) {
      say(`adding ${place + 1} of ${chosen.length}: ${path}`)
      const told = await asked(`/documents/file?${new URLSearchParams({ name: path })}`, { method: 'POST', body: file })
      if (told.said) refused.push(told.said)
    }
    say(refused.length ? refused.join('; ') : '')
    look()
  }

  async function within(entry) {
    if (entry.isFile) return [[entry.fullPath.replace(/^\//, ''), await new Promise((done, wrong) => entry.file(done, wrong))]]
    const reader = entry.createReader(), files = []
    for (;;) {
      const some = await new Promise((done, wrong) => reader.readEntries(done, wrong))
      if (!some.length) return files
      for (const one of some) files.push(...await within(one))
    }
  }

  function choose(folder) {
    const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true, webkitdirectory: folder })
    input.addEventListener('change', () => send([...input.files].map((file) => [file.webkitRelativePath || file.name, file])))
    input.click()
  }

  async function open(of, where) {
    if (place !== of) fill(paper(), shell('Opening…'))
    place = of
    show(paper())
    const told = await asked(`/document?${new URLSearchParams({ ...of, ...where })}`)
    fill(paper(), told.html ?? shell(told.said))
    const current = $('.current', paper())
    if (current) current.scrollIntoView({ block: 'center' }); else $('.paper', paper())?.scrollTo(0, 0)
  }

  let pressed // a click beside a dialog closes it, and the end of a drag from within it does not
  document.addEventListener('pointerdown', (event) => { pressed = event.target }, true)
  document.addEventListener('click', (event) => {
    const on = (selector) => event.target.closest(selector)
    let found
    if ((found = on('[data-documents]'))) { by = found.dataset.documents || by; show(list()); look() }
    else if (on('[data-close]') || (event.target.matches('dialog') && pressed === event.target)) event.target.closest('dialog').close()
    else if ((found = on('[data-choose]'))) choose(found.dataset.choose === 'folder')
    else if ((found = on('[data-do]'))) { if (!found.dataset.sure || confirm(found.dataset.sure)) change(found.dataset.do, found.dataset.path) }
    else if ((found = on('[data-document]'))) open({ id: found.dataset.document }, {})
    else if ((found = on('[data-go]'))) open(place, Object.fromEntries(new URLSearchParams(found.dataset.go)))
    else if ((found = on('[data-passage]')) && !on('.why') && !String(getSelection())) {
      event.preventDefault()
      open({ thread: new URL(location.href).searchParams.get('thread') ?? '', turn: found.dataset.turn, source: found.dataset.passage }, {})
    }
  })

  document.addEventListener('submit', (event) => {
    if (!event.target.matches('[data-add]')) return
    event.preventDefault()
    change('add', event.target.elements.path.value)
    event.target.reset()
  })

  document.addEventListener('input', (event) => {
    if (!event.target.closest('#documents .finding')) return
    find = $('[name=find]', list()).value
    by = $('[name=by]', list()).value
    look()
  })

  // Behind an @ in the question names of files and folders are offered, and commands behind a / at its begin; what was named stays for the next question.
  const box = () => $('#question textarea')
  let offered = 0, offering

  async function offer() {
    const command = /^\/\w*$/.test(box().value)
    const typed = command ? box().value : /(?:^|\s)@([^\s@"]*)$/.exec(box().value.slice(0, box().selectionStart))?.[1]
    const turn = ++offered
    const { names } = typed === undefined ? { names: [] } : await asked(`/documents/names?${new URLSearchParams({ find: typed })}`)
    if (turn !== offered) return
    let menu = $('#names')
    if (!menu) {
      menu = Object.assign(document.createElement('div'), { id: 'names' })
      menu.setAttribute('role', 'group')
      $('#ask').before(menu)
    }
    menu.setAttribute('aria-label', command ? 'Commands' : 'Look only in')
    menu.replaceChildren(...(names ?? []).map((name) => Object.assign(document.createElement('button'), { type: 'button', textContent: command ? name : `@${name}` })))
  }

  function write(text) {
    window.clew.write(text)
    box().focus()
  }

  const take = (offer) => offer.startsWith('@') ? name(offer.slice(1)) : write(`${offer} `)

  function name(what, typed = '') {
    const end = box().selectionStart
    const before = box().value.slice(0, end - typed.length).replace(/@[^\s@"]*$/, '')
    write(`${before}@${/\s/.test(what) ? `"${what}"` : what} ${box().value.slice(end)}`)
  }

  document.addEventListener('input', (event) => { if (event.target === box()) offering = offer() })
  document.addEventListener('click', (event) => {
    const chosen = event.target.closest('#names button'), scope = event.target.closest('[data-scope]')
    if (chosen) take(chosen.textContent)
    if (scope) { list().close(); name(scope.dataset.scope) }
  })
  document.addEventListener('keydown', (event) => {
    if (event.target !== box()) return
    if ($('#names button') && (event.key === 'Tab' || event.key === 'Escape')) {
      event.preventDefault()
      if (event.key === 'Escape') $('#names').replaceChildren()
      else offering.then(() => $('#names button') && take($('#names button').textContent)) // of what is typed by now
    }
  }, true)

  // What a conversation was asked in last is its own.
  document.addEventListener('thread', () => {
    const { scopeOf } = window.clew
    const last = scopeOf([...document.querySelectorAll('#past .question, .now .question')].at(-1)?.textContent ?? '')
    if (box() && box().value === scopeOf(box().value) && box().value !== last) write(last)
  })

  const brings = (event) => event.dataTransfer?.types.includes('Files')
  document.addEventListener('dragover', (event) => { if (brings(event)) { event.preventDefault(); document.body.classList.add('dropping') } })
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('dropping') })
  document.addEventListener('drop', async (event) => {
    if (!brings(event)) return
    event.preventDefault()
    document.body.classList.remove('dropping')
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean)
    const plain = [...event.dataTransfer.files].map((file) => [file.name, file])
    send(entries.length ? (await Promise.all(entries.map(within))).flat() : plain)
  })

  const NEXT = () => list().open && busy ? 700 : list().open ? 2000 : 5000
  const again = () => setTimeout(async () => {
    if (!document.hidden) await look()
    again()
  }, NEXT())
  const begin = () => $('#page .brand') ? (look(), again()) : setTimeout(begin, 200)
  begin()
  Object.assign(window.clew, { dialog, asked, fill, shell, open }) // for settings.js and map.js
})()
