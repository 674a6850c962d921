import { useEffect } from 'preact/hooks'
import { readCounts } from '../../hub-client/read-fleet.ts'
import { useLive } from '../api/use-live.ts'
import { count } from '../model/phrases.ts'
import { placeOf, places } from '../model/places.ts'
import { countsPaceMs } from '../model/poll-pace.ts'
import { withTerms } from '../model/route.ts'
import { useCurrentInView, useNavigation } from './navigation.tsx'
import { useConsole } from './scope.tsx'

/** The places of the console, with how much there is of what people count. */
export const PlaceList = () => {
  const { api, namespace } = useConsole()
  const { route, query } = useNavigation()
  const { data: counts, refresh } = useLive(api, {
    ...{ key: `counts ${namespace ?? ''}`, paths: [] },
    everyMs: countsPaceMs[api.pollMs() === undefined ? 'streamed' : 'polled'],
    read: (hub, signal) => readCounts(hub, namespace, signal),
  })
  const current = placeOf(route, query)
  useEffect(refresh, [current])
  useCurrentInView('.places', current)
  return (
    <nav class="places" aria-label="Pages">
      {places.map(({ id, href, text, counted, isApart }) => (
        <a
          key={id}
          class={isApart ? 'apart' : undefined}
          href={withTerms(href, { namespace })}
          aria-current={id === current ? 'page' : undefined}
        >
          {text}
          {counted && counts && counts[counted] > 0 && (
            <>
              {' '}
              <small>{count(counts[counted])}</small>
            </>
          )}
        </a>
      ))}
    </nav>
  )
}
