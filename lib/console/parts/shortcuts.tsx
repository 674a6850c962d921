import { useEffect, useRef, useState } from 'preact/hooks'
import { places } from '../model/places.ts'
import { withTerms } from '../model/route.ts'
import { useNavigation } from './navigation.tsx'

/** Calls `action` for a key that is pressed outside of fields. */
export const useShortcut = (key: string, action: () => unknown): void => {
  const current = useRef(action)
  current.current = action
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === key && isFree(event)) {
        event.preventDefault()
        current.current()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [key])
}

const isFree = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey && !(target instanceof Element && target.closest('input, select, textarea, dialog'))

const pages: Readonly<Record<string, string>> = Object.fromEntries(places.map(({ key, href }) => [key, href]))

/** `g` and a letter go to a page, `j` and `k` walk through rows, `/` searches. */
export const useGlobalShortcuts = (focusSearch: () => void): { readonly isHelpOpen: boolean; closeHelp(): void } => {
  const { go, query } = useNavigation()
  const { namespace } = query
  const [isHelpOpen, setHelp] = useState(false)
  useEffect(() => {
    let last = ''
    let lastAt = 0
    const onKey = (event: KeyboardEvent) => {
      if (!isFree(event)) return
      const { key } = event
      const isSecond = last === 'g' && event.timeStamp - lastAt < 1_500
      last = key
      lastAt = event.timeStamp
      if (isSecond && pages[key]) {
        event.preventDefault()
        event.stopImmediatePropagation()
        last = ''
        go(withTerms(pages[key], { namespace }))
      } else if (key === '/') {
        event.preventDefault()
        focusSearch()
      } else if (key === '?') setHelp(true)
      else if (key === 'j' || key === 'k') walk(key === 'j' ? 1 : -1)
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [go, namespace, focusSearch])
  return { isHelpOpen, closeHelp: () => setHelp(false) }
}

/** Moves the focus to the first link of the next row. */
const walk = (step: 1 | -1): void => {
  const links = Array.from(
    document.querySelectorAll<HTMLElement>('[data-rows] tbody tr, .causes li'),
    row => row.querySelector<HTMLElement>('.main a') ?? row.querySelector('a'),
  )
  const rows = links.filter(link => link !== null)
  const at = rows.indexOf(document.activeElement as HTMLAnchorElement)
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus()
}

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], 'search everything'],
  [['j', 'k'], 'next row, previous row'],
  [['enter'], 'open the row'],
  [['r'], 'reconcile what is open'],
  [['?'], 'these keys'],
  ...places.map(({ key, text }) => [['g', key], text] as const),
]

/** The dialog that lists all keys. */
export const KeyHelp = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {keys.map(([pressed, what]) => (
          <div key={what}>
            <dt>
              {pressed.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  )
}
