import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { receiverKind } from '../../hub-client/fleet-kinds.ts'
import { listPage } from '../../hub-client/list-page.ts'
import { permittedReader } from '../../hub-client/permitted-reader.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted, namespaceFlag } from '../model/phrases.ts'
import { objectHref } from '../model/route.ts'
import { shownStateOf } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Narrowed } from '../parts/notices.tsx'
import { Further } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'

const pageSize = 200

/** Webhook addresses: what calls them, and what they set off. */
export const ReceiversPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const page = { limit: String(pageSize), continue: query.continue }
  const receivers = useLive(api, {
    key: `receivers ${namespace ?? ''} ${query.continue ?? ''}`,
    paths: [resourcePath(receiverKind, { namespace })],
    read: permittedReader(receiverKind, namespace, (hub, one, signal) =>
      listPage<Receiver>(hub, receiverKind, { namespace: one, query: page }, signal),
    ),
  })
  return (
    <Loaded of={receivers} isPage>
      {({ items, continue: next, onlyIn }) => (
        <>
          <div class="head">
            <div>
              <h1>{next ? 'Receivers' : counted(items.length, 'receiver')}</h1>
              <p class="quiet">Addresses that forges and registries call, so that a push is seen at once.</p>
            </div>
            <div class="actions">
              <CopyCommand command={`kubectl get receivers ${namespaceFlag(onlyIn ?? namespace)}`} />
            </div>
          </div>
          <section class="panel" aria-label="Receivers">
            <Narrowed to={onlyIn} />
            {items.length === 0 ? <NoReceivers /> : <ReceiverTable receivers={items} />}
            <Further next={next} />
          </section>
        </>
      )}
    </Loaded>
  )
}

const ReceiverTable = ({ receivers }: { readonly receivers: readonly Receiver[] }) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Receiver</th>
        <th class="fit">Type</th>
        <th class="wide">Events</th>
        <th class="wide">Reconciles</th>
        <th class="fit">Deliveries</th>
      </tr>
    </thead>
    <tbody>
      {receivers.map(object => {
        const { metadata, spec } = object
        const ref = { kind: receiverKind.kind, namespace: metadata.namespace, name: metadata.name }
        const targets = spec.resources.map(({ kind, name }) => `${kind} ${name}`).join(', ')
        return (
          <tr key={`${metadata.namespace}/${metadata.name}`}>
            <td class="fit">
              <State of={shownStateOf(object)} />
            </td>
            <td class="cut main">
              <a href={objectHref(ref)} title={metadata.name}>
                {metadata.name}
              </a>
              <small class="quiet">{`in ${metadata.namespace}`}</small>
            </td>
            <td class="fit">{spec.type}</td>
            <td class="cut wide quiet">{spec.events?.join(', ') ?? 'all'}</td>
            <td class="cut wide quiet" title={targets}>
              {targets}
            </td>
            <td class="fit">
              <a href={objectHref(ref, 'deliveries')}>Deliveries</a>
            </td>
          </tr>
        )
      })}
    </tbody>
  </table>
)

const NoReceivers = () => (
  <Empty title="There are no receivers here">
    <p>Without one, a push is seen at the next interval of its source. This makes an address for GitHub:</p>
    <pre>
      {`kubectl create secret generic hook-token --from-literal=token=$(openssl rand -hex 20)
flux create receiver my-app --type=github --event=push --secret-ref=hook-token --resource=GitRepository/my-app`}
    </pre>
  </Empty>
)
