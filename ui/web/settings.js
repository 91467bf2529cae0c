// The settings, and a question that each method looks up: pieces of HTML that the server makes, in two dialogs.
(() => {
  const $ = (selector) => document.querySelector(selector)
  const { dialog, asked, fill } = window.clew

  const tool = () => $('#tool textarea, #tool input')?.value
  function paint() {
    const look = localStorage.getItem('clew-look') ?? 'system'
    const dark = look === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : look === 'dark'
    if (document.body.classList.contains('dark') !== dark) document.body.classList.toggle('dark', dark)
  }

  function told(answer) {
    if (answer.opens) setInterval(window.clew.alive, 500) // the page is loaded again when that is served
    if (answer.html && $('#settings[open]')) fill($('#settings'), answer.html)
    else if (answer.said && $('#settings .sending')) $('#settings .sending').textContent = answer.said
    if (answer.model !== undefined) document.querySelectorAll('.model').forEach((one) => { one.textContent = answer.model })
    const method = $('#set-tool')
    if (!method) return
    method.value = tool() || method.dataset.default
    $('#settings [data-what]').textContent = method.selectedOptions[0]?.title ?? ''
    $('#set-look').value = localStorage.getItem('clew-look') ?? 'system'
  }

  document.addEventListener('click', async (event) => {
    if (event.target.closest('[data-settings-open]')) {
      dialog('settings', 'Settings').showModal()
      told(await asked('/settings'))
    }
    const turn = event.target.closest('[data-compare]')?.dataset.compare
    if (!turn) return
    const shown = dialog('comparison', 'Methods side by side')
    fill(shown, '<p class="dim">Each method looks…</p>')
    shown.showModal()
    const thread = new URL(location.href).searchParams.get('thread') ?? ''
    const answer = await asked(`/comparison?${new URLSearchParams({ thread, turn })}`)
    fill(shown, answer.html ?? window.clew.shell(answer.said))
  })

  document.addEventListener('change', (event) => {
    if (event.target.id === 'set-look') { localStorage.setItem('clew-look', event.target.value); paint() }
    if (event.target.id !== 'set-tool') return
    window.clew.send('say', `/tool ${event.target.value}`)
    $('#settings [data-what]').textContent = event.target.selectedOptions[0].title
  })

  document.addEventListener('submit', async (event) => {
    if (!event.target.matches('[data-settings]')) return
    event.preventDefault()
    $('#settings .changed')?.remove()
    $('#settings .sending').textContent = event.submitter?.value ? 'Testing…' : 'One moment…'
    const set = new URLSearchParams(new FormData(event.target))
    set.set('test', event.submitter?.value === 'test')
    told(await asked(`/settings?${set}`, { method: 'POST' }))
  })

  new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ['class'] })
  paint()
  asked('/settings').then(told) // the model that writes may be another than when the server began
})()
