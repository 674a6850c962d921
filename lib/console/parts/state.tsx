import type { Shown, ShownState } from '../model/shown-state.ts'
import { stateNames } from '../model/shown-state.ts'

/** Shape, word and colour of a state. */
export const State = ({ of: { state, word } }: { readonly of: Shown }) => <span class={`state ${state}`}>{word}</span>

/** The shape alone, where there is no room for the word. */
export const StateMark = ({ of: { state, word } }: { readonly of: Shown }) => (
  <span class={`state mark ${state}`} role="img" aria-label={word} title={word} />
)

/** How many are in which state, as one bar. */
export const StateBar = ({ counts }: { readonly counts: Readonly<Partial<Record<ShownState, number>>> }) => {
  const parts = (Object.entries(counts) as [ShownState, number][]).filter(([, many]) => many > 0)
  const label = parts.map(([state, many]) => `${many} ${stateNames[state].toLowerCase()}`).join(', ')
  return (
    <span class="split" role="img" aria-label={label} title={label}>
      {parts.map(([state, many]) => (
        <i key={state} class={state} style={{ flexGrow: many }} />
      ))}
    </span>
  )
}
