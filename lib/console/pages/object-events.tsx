import type { Event } from '../../foundations/kinds/event.ts'
import { event as eventKind } from '../../foundations/kinds/event.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { lastSeen, readEvents } from '../../hub-client/read-object.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { shown } from '../model/shown-state.ts'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

interface Props {
  readonly of: { readonly kind: string; readonly namespace: string; readonly name: string }
}

/** The Events of an object that the hub has, as they come. */
export const ObjectEvents = ({ of: ref }: Props) => {
  const { api } = useConsole()
  const { namespace } = ref
  const events = useLive(api, {
    key: `events ${ref.kind} ${namespace} ${ref.name}`,
    paths: [
      resourcePath(eventKind as unknown as Kind, {
        namespace,
        query: { fieldSelector: `involvedObject.name=${ref.name}` },
      }),
    ],
    read: (hub, signal) => readEvents(hub, ref, signal),
  })
  return (
    <section class="panel" aria-label="Events">
      <Loaded of={events}>
        {items => (items.length === 0 ? <Empty title="No events" /> : <EventList events={items} />)}
      </Loaded>
    </section>
  )
}

/** Events with their reason, message, count and age, in the order given. */
export const EventList = ({ events }: { readonly events: readonly Event[] }) => (
  <ul class="facts-list">
    {events.map(event => (
      <li key={event.metadata.uid}>
        <p class="line">
          <State of={event.type === 'Warning' ? shown('failing', event.reason) : shown('ready', event.reason)} />
          {(event.count ?? 1) > 1 && <span class="tag">{`${event.count} times`}</span>}
          <span class="right quiet">
            <Ago time={lastSeen(event)} />
          </span>
        </p>
        <p class="quiet break lines">{event.message}</p>
      </li>
    ))}
  </ul>
)
