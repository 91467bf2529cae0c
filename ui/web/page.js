// Gradio puts this script into the page when that is there. What a click does without the server: citations, sources, drawers; and what a redrawn piece of the page forgets.
(() => {
  let thread = null   // the conversation that is shown
  let chosen = ''     // the turn whose sources are shown; empty: the last one
  let last = ''       // the last turn that has sources
  let asked = ''      // what was asked last, until the server says anything
  let then = ''       // what is asked behind a question that was picked, once its conversation is there
  let server          // the one that the page is from; what another one serves is loaded anew
  let pinned = true   // the conversation is scrolled to its end, and stays so
  const unfolded = new Set() // ids of the blocks that the person opened

  const $ = (selector) => document.querySelector(selector)
  const set = (element, name, value) => { if (element[name] !== value) element[name] = value }

  // The pieces of the page come as the words of hidden buttons; each is shown in a block behind its button.
  const texts = new WeakMap()
  function render() {
    for (const button of document.querySelectorAll('button.as-html')) {
      const text = button.textContent
      if (texts.get(button) === text) continue
      texts.set(button, text)
      asked = ''
      const id = button.id.replace('-html', '')
      let block = document.getElementById(id)
      if (!block) {
        block = Object.assign(document.createElement('div'), { id })
        button.after(block)
      }
      become(block, new DOMParser().parseFromString(text, 'text/html').body)
    }
  }

  // What stays as it is is not drawn again: a selection, the focus, a place that was scrolled to.
  function become(old, fresh) {
    const before = [...old.childNodes], after = [...fresh.childNodes]
    after.forEach((node, place) => {
      const known = before[place]
      if (!known) old.append(document.importNode(node, true))
      else if (known.nodeName !== node.nodeName || known.dataset?.key !== node.dataset?.key) known.replaceWith(document.importNode(node, true))
      else if (node.nodeType !== Node.ELEMENT_NODE) set(known, 'data', node.data)
      else {
        for (const { name } of [...known.attributes]) if (!node.hasAttribute(name)) known.removeAttribute(name)
        for (const { name, value } of node.attributes) if (known.getAttribute(name) !== value) known.setAttribute(name, value)
        become(known, node)
      }
    })
    before.slice(after.length).forEach((node) => node.remove())
  }

  // A button with `data-pick` is a choice: Gradio hears of it as of something that was typed, with Enter behind it.
  function send(name, value) {
    const box = $(`#${name} textarea, #${name} input`)
    box.value = value
    box.dispatchEvent(new Event('input', { bubbles: true }))
    box.dispatchEvent(new KeyboardEvent('keypress', { key: 'Enter', bubbles: true }))
  }

  // A file that the server hands out is kept by the browser.
  let kept = ''
  function keep() {
    const text = $('#file')?.textContent.trim() ?? ''
    if (!text || text === kept) return
    kept = text
    const file = JSON.parse(text)
    const link = Object.assign(document.createElement('a'), { download: file.name, href: URL.createObjectURL(new Blob([file.text])) })
    link.click()
    URL.revokeObjectURL(link.href)
  }

  // A question, or how it was understood, or a title is changed where it stands; what is sent is a command.
  function edit(button) {
    const form = document.createElement('form')
    form.className = 'editing'
    const title = button.dataset.edit.startsWith('/rename')
    form.innerHTML = `<textarea></textarea><button>${title ? 'Rename' : 'Send'}</button> <button type="button" class="cancel">Cancel</button>`
    const box = form.firstChild
    box.value = button.dataset.text
    box.setAttribute('aria-label', title ? 'Title' : 'Question')
    box.onkeydown = (event) => {
      if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); form.requestSubmit() }
      if (event.key === 'Escape') form.remove()
    }
    form.onsubmit = (event) => {
      event.preventDefault()
      form.remove()
      send('say', `${button.dataset.edit} ${box.value}`)
    }
    form.onclick = (event) => { if (event.target.classList.contains('cancel')) form.remove() }
    document.querySelectorAll('form.editing').forEach((other) => other.remove())
    const turn = button.closest('.turn')
    const place = turn?.querySelector(button.closest('.understood') ? '.understood' : '.question') ?? button.closest('.entry-row')
    place.after(form)
    box.focus()
    box.select()
  }

  // Where the page is not of this machine, the browser has no clipboard but the old one.
  async function copy(button) {
    try { await navigator.clipboard.writeText(button.dataset.copy) } catch {
      const box = Object.assign(document.createElement('textarea'), { value: button.dataset.copy })
      document.body.append(box)
      box.select()
      document.execCommand('copy')
      box.remove()
    }
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  }

  // A server that is gone is told from one that was started anew and does not know this browser. What was said meanwhile
  // in another tab, or in the terminal, is shown here, too.
  async function alive() {
    if (document.hidden) return
    const of = thread
    const answer = await fetch(`/conversation?thread=${encodeURIComponent(of ?? '')}`).catch(() => ({ ok: false, status: 0 }))
    const { at, served } = answer.ok ? await answer.json().catch(() => ({})) : {}
    if (served && ((server ??= served) !== served || $('#gone .gone')?.hidden === false)) { location.reload(); return }
    const shown = $('#past .conversation')?.dataset.at
    if (thread && at && of === thread && at !== shown && !$('#now [data-busy]')) send('open', thread)
    const gone = $('#gone .gone')
    if (!gone) return
    set(gone, 'hidden', answer.ok)
    set(gone, 'className', `gone ${answer.status ? 'is-anew' : 'is-away'}`)
    if (!answer.ok && asked && asked.startsWith(question().value)) write(asked) // nobody has it
  }

  function refresh() {
    render()
    keep()
    followThread()
    showSources()
    for (const id of unfolded) { const block = document.getElementById(id); if (block) set(block, 'open', true) }
    const chat = $('#chat')
    if (chat && pinned) chat.scrollTop = chat.scrollHeight
  }

  function followThread() {
    const shown = $('#past .conversation')?.dataset.thread
    if (shown === undefined || shown === thread) return
    thread = shown
    if (shown && then) setTimeout(send, 100, 'say', then)
    then = chosen = last = ''
    document.dispatchEvent(new Event('thread'))
    pinned = true
    unfolded.clear()
    drawer('')
    const address = new URL(location.href)
    if (shown) address.searchParams.set('thread', shown); else address.searchParams.delete('thread')
    history.replaceState(null, '', address)
  }

  function showSources() {
    const sections = [...document.querySelectorAll('#sources section')]
    const newest = sections.at(-1)?.dataset.turn ?? ''
    if (newest !== last) { last = newest; chosen = '' }
    for (const section of sections) {
      const shown = section.dataset.turn === (chosen || last)
      if (shown) requestAnimationFrame(() => section.querySelectorAll('blockquote:has(mark):not([style])').forEach(toQuote))
      set(section, 'hidden', !shown)
    }
  }

  // A passage that is short is whole; a long one is scrolled within its box to the words that the answer quotes, which the box cuts nowhere.
  function toQuote(passage) {
    if (passage.scrollHeight < innerHeight * 0.5) { passage.style.maxHeight = 'none'; return }
    const marks = [...passage.querySelectorAll('mark')]
    const line = parseFloat(getComputedStyle(passage).lineHeight)
    const top = Math.max(Math.floor(marks[0].offsetTop / line - 1), 0) * line
    const ends = marks.map((mark) => mark.offsetTop + mark.offsetHeight - top)
    const shown = ends.filter((end) => end < innerHeight * 0.6).at(-1) ?? ends[0]
    passage.style.maxHeight = `${shown < ends.at(-1) ? shown : Math.max(shown, 252)}px`
    passage.scrollTop = top
  }

  function light(turn, number) {
    chosen = turn
    showSources()
    drawer('aside')
    document.querySelectorAll('.source.lit').forEach((source) => source.classList.remove('lit'))
    const source = number && document.getElementById(`source-${turn}-${number}`)
    if (!source) return
    void source.offsetWidth // begins its animation anew
    source.classList.add('lit')
    source.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }

  function drawer(name) { const page = $('#page'); if (page) page.dataset.open = name }

  document.addEventListener('click', (event) => {
    const target = event.target.closest('a.cite, .walk a, .to-sources, [data-drawer]')
    const stays = event.target.closest('#side, #aside') && !event.target.closest('[data-pick], #new')
    if (!target) { if (!stays) drawer(''); return }
    event.preventDefault()
    if (target.dataset.drawer !== undefined) drawer(target.dataset.drawer)
    else if ($('.source.lit')?.id === `source-${target.dataset.turn}-${target.dataset.source}`) $('.source.lit').click()
    else light(target.dataset.turn, target.dataset.source)
  })

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-say], [data-edit], [data-copy]')
    if (button?.dataset.say) send('say', button.dataset.say)
    if (button?.dataset.edit) edit(button)
    if (button?.dataset.copy) copy(button)
    if (event.target.closest('#send')) ask()
    fold(event.target.closest('summary')?.parentElement)
  })

  // Closes the menus but one; the focus that was in one of them is on its name again.
  function fold(menu) {
    for (const block of document.querySelectorAll('.menu[open]')) {
      if (block === menu) continue
      if (!menu && block.contains(document.activeElement)) block.firstElementChild.focus()
      unfolded.delete(block.id)
      block.open = false
    }
  }

  let finding
  document.addEventListener('input', (event) => {
    if (!event.target.matches('input.find')) return
    clearTimeout(finding)
    finding = setTimeout(() => send('find', event.target.value), 200)
  })

  document.addEventListener('click', (event) => {
    const choice = event.target.closest('[data-pick]')
    if (!choice) return
    then = choice.dataset.then ?? ''
    send(choice.closest('#threads') ? 'open' : 'pick', choice.dataset.pick)
  })

  const question = () => $('#question textarea')

  const scopeOf = (text) => /^(@("[^"]+"|\S+)\s+)+/.exec(text)?.[0] ?? ''

  function write(text) {
    question().value = text
    question().dispatchEvent(new Event('input', { bubbles: true }))
  }

  // The box is empty at once, but for the names that the question was limited to: what is typed from now on is the next question.
  function ask() {
    const text = question().value
    if (!text.trim()) return
    send('say', text)
    asked = text
    pinned = true // what is asked is looked at
    write(scopeOf(text))
  }

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.target !== question()) return
    event.preventDefault()
    ask()
  }, true)

  let recalled = 0 // questions back, of those of this conversation

  function recall(event) {
    const before = [...document.querySelectorAll('#past .question')].map((one) => one.textContent)
    const text = question().value, at = text === '' ? 0 : text === before.at(-recalled) ? recalled : -1
    recalled = Math.max(Math.min(at + (event.key === 'ArrowUp' ? 1 : -1), before.length), 0)
    if (at < 0 || at === recalled) return
    event.preventDefault()
    write(recalled ? before.at(-recalled) : '')
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { drawer(''); fold() }
    if (event.target === question() && ['ArrowUp', 'ArrowDown'].includes(event.key)) recall(event)
    if (event.target.matches('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '?') $('#keys').showModal()
    if (event.key === '/' && !$('dialog[open]')) { event.preventDefault(); question().focus() }
  })

  document.addEventListener('click', (event) => {
    const block = event.target.closest('summary')?.parentElement
    if (block?.id) block.open ? unfolded.delete(block.id) : unfolded.add(block.id)
    if (block?.matches('.menu')) setTimeout(() => {
      const list = block.lastElementChild
      list.scrollIntoView({ block: 'nearest' })
      if (list.getBoundingClientRect().top < $('#chat').getBoundingClientRect().top) list.style.inset = '100% auto auto -10px' // no room above
    })
  }, true)

  document.addEventListener('scroll', (event) => {
    const chat = event.target
    if (chat.id === 'chat') pinned = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 60
  }, true)

  new MutationObserver(refresh).observe(document.body, {
    childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ['hidden', 'open', 'data-thread'],
  })
  refresh()
  alive()
  setInterval(alive, 3000)
  window.clew = { alive, become, scopeOf, send, write } // for the other scripts
})()
