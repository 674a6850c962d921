import type { StateCounts } from '../../foundations/fleet/fleet-rows.ts'
import type { ObjectState } from '../../foundations/fleet/object-state.ts'
import { count } from '../model/phrases.ts'
import { shown, shownFrom } from '../model/shown-state.ts'
import { useNavigation } from './navigation.tsx'
import { State } from './state.tsx'

const states: readonly ObjectState['state'][] = ['failed', 'stalled', 'progressing', 'suspended', 'ready']

/** A filter by state, with how many are in each: the term `state` of the address. */
export const StateChips = ({ counts }: { readonly counts: StateCounts }) => {
  const { query, here } = useNavigation()
  return (
    <nav class="chips" aria-label="States">
      <a href={here({ state: undefined, continue: undefined })} aria-current={query.state ? undefined : 'true'}>
        {`All ${count(counts.total)}`}
      </a>
      {states
        .filter(state => counts[state] > 0 || query.state === state)
        .map(state => {
          const { state: shape, word } = shownFrom({ state, isWaiting: false })
          return (
            <a
              key={state}
              href={here({ state, continue: undefined })}
              aria-current={query.state === state ? 'true' : undefined}
            >
              <State of={shown(shape, `${word} ${count(counts[state])}`)} />
            </a>
          )
        })}
    </nav>
  )
}
