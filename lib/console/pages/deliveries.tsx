import { useEffect, useState } from 'preact/hooks'
import type { Delivery } from '../../foundations/kinds/delivery.ts'
import { readinessOf } from '../../foundations/kinds/delivery.ts'
import { isAllowed } from '../../hub-client/allowed-actions.ts'
import { deliveryKind } from '../../hub-client/fleet-kinds.ts'
import { listPage } from '../../hub-client/list-page.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { objectHref } from '../model/route.ts'
import { stateOfDelivery } from '../model/shown-state.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

const pageSize = 50
/** Deliveries can't be watched. */
const everyMs = 3_000

interface Props {
  readonly namespace: string
  /** Name of the Receiver. */
  readonly receiver: string
}

/** The calls of a Receiver, the latest first: what each set off, and how to repeat one. */
export const Deliveries = ({ namespace, receiver }: Props) => {
  const { api } = useConsole()
  const { query, here } = useNavigation()
  const [mayRedeliver, setMayRedeliver] = useState<boolean>()
  useEffect(() => {
    isAllowed(api, { kind: deliveryKind, subresource: 'redeliver', verb: 'create', namespace }).then(
      setMayRedeliver,
      () => setMayRedeliver(false),
    )
  }, [api, namespace])
  const terms = { limit: String(pageSize), continue: query.continue, fieldSelector: `receiver.name=${receiver}` }
  const deliveries = useLive(api, {
    key: `deliveries ${namespace} ${receiver} ${query.continue ?? ''}`,
    paths: [],
    everyMs,
    read: (hub, signal) => listPage<Delivery>(hub, deliveryKind, { namespace, query: terms }, signal),
  })
  return (
    <section class="panel" aria-label="Deliveries">
      <Loaded of={deliveries}>
        {({ items, continue: next }) => (
          <>
            {mayRedeliver === false && (
              <p class="pad quiet">
                {`No redelivery: ${api.user.name} may not create deliveries/redeliver in the namespace ${namespace}.`}
              </p>
            )}
            {items.length === 0 && <NoCalls namespace={namespace} receiver={receiver} />}
            <ul class="facts-list">
              {items.map(item => (
                <Call
                  key={item.metadata.name}
                  delivery={item}
                  mayRedeliver={mayRedeliver === true}
                  refresh={deliveries.refresh}
                />
              ))}
            </ul>
            {next && (
              <nav class="pages" aria-label="Pages of the list">
                <a href={here({ continue: next })}>Earlier deliveries</a>
              </nav>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

interface CallProps {
  readonly delivery: Delivery
  readonly mayRedeliver: boolean
  readonly refresh: () => void
}

const Call = ({ delivery, mayRedeliver, refresh }: CallProps) => {
  const { api, announce } = useConsole()
  const { metadata, event, sender, remoteAddress, result, message, objects = [], startedAt, redeliveredBy } = delivery
  const redeliver = async () => {
    const path = `${resourcePath(deliveryKind, { namespace: metadata.namespace, name: metadata.name })}/redeliver`
    try {
      const { metadata: made } = await api.post<Delivery>(path, {})
      announce(`Delivered again as ${made.name}`)
      refresh()
    } catch (error) {
      announce((error as Error).message)
    }
  }
  return (
    <li>
      <p class="line">
        <State of={stateOfDelivery(result)} />
        <span class="break">{[event, sender && `by ${sender}`].filter(Boolean).join(' ')}</span>
        {redeliveredBy && <span class="tag">{`repeated by ${redeliveredBy}`}</span>}
        <span class="right quiet">
          {readinessOf(delivery) && `${readinessOf(delivery)}, `}
          <Ago time={startedAt} />
          {remoteAddress && ` from ${remoteAddress}`}
        </span>
        {mayRedeliver && (
          <button type="button" class="small" onClick={() => void redeliver()}>
            Redeliver
          </button>
        )}
      </p>
      <p class="quiet break lines">{message}</p>
      {objects.length > 0 && (
        <p class="links">
          {objects.map(object => (
            <a key={`${object.kind}/${object.name}`} href={objectHref(object)}>
              {`${object.kind} ${object.name}`}
            </a>
          ))}
        </p>
      )}
    </li>
  )
}

const NoCalls = ({ namespace, receiver }: Props) => (
  <Empty title="Nothing has called it yet">
    <p>Calls are kept for a week. The forge needs the address of the hub's webhooks, with this path:</p>
    <pre>{`kubectl get receiver ${receiver} -n ${namespace} -o jsonpath='{.status.webhookPath}'`}</pre>
  </Empty>
)
