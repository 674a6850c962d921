import { podId } from '../../foundations/fleet/failing-pods.ts'
import type { LiveObject, LivePod } from '../../foundations/fleet/live.ts'
import { statusCondition } from '../../foundations/fleet/object-state.ts'
import { type InventoryEntry, pruneGuarded } from '../../foundations/kinds/applied.ts'
import { describeKind, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { parseInventoryId } from '../../foundations/rules/inventory.ts'
import { readLiveTree } from '../../hub-client/read-live.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { shown } from '../model/shown-state.ts'
import { liveHref, shownLive } from '../model/unit-graph.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { LiveObjectPanel } from './live-object.tsx'

const maxRows = 500

/** Clusters can't be followed through the hub. */
const everyMs = 5_000

/** The applied objects with their health, those that the last pass complains of first; or one of them. */
export const ObjectsTab = ({ view }: { readonly view: ObjectView }) => {
  const { query } = useNavigation()
  return query.object ? <LiveObjectPanel unit={view.object} id={query.object} /> : <Inventory view={view} />
}

const Inventory = ({ view: { object } }: { readonly view: ObjectView }) => {
  const { api } = useConsole()
  const { query, here, go } = useNavigation()
  const { kind, metadata } = object
  const tree = useLive(api, {
    ...{ key: `health ${kind} ${metadata.namespace} ${metadata.name}`, paths: [], everyMs },
    read: (hub, signal) => readLiveTree(hub, object, signal),
  })
  const health = new Map(tree.data?.objects.map(found => [found.id, found]))
  const pods = Map.groupBy(tree.data?.pods ?? [], ({ owner }) => owner)
  const { inventory } = (object.status ?? {}) as {
    readonly inventory?: { readonly entries?: readonly InventoryEntry[] }
  }
  const ready = statusCondition(object, 'Ready')
  const complaint = ready?.status === 'False' ? ready.message : ''
  const named = ready?.reason === pruneGuarded ? shown('waiting', 'Held') : shown('failing', 'Named in the failure')
  const rows = (inventory?.entries ?? [])
    .map(({ id, v }) => ({ ...parseInventoryId(id), id, version: v }))
    .map(row => ({ ...row, isNamed: isNamedIn(complaint, row) }))
    .filter(({ id }) => !query.q || id.toLowerCase().includes(query.q.toLowerCase()))
    .toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed))
  return (
    <section class="panel" aria-label="Objects">
      <div class="bar">
        <h2>{counted(rows.length, 'object')}</h2>
        <label class="field right">
          <span class="hidden">Filter objects</span>
          <input
            type="search"
            placeholder="Kind, namespace, name"
            value={query.q ?? ''}
            onInput={event => go(here({ q: event.currentTarget.value }), 'replace')}
          />
        </label>
      </div>
      {rows.length === 0 ? (
        <Empty title="No object matches" />
      ) : (
        <table class="list">
          <thead>
            <tr>
              <th>Kind</th>
              <th>Name</th>
              <th class="wide">Namespace</th>
              <th class="fit">On the cluster</th>
              <th class="wide">Pods</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxRows).map(({ id, group, kind, namespace, name, isNamed }) => (
              <tr key={id}>
                <td class="cut">{describeKind({ group, kind })}</td>
                <td class="cut" title={name}>
                  <a href={liveHref(object, id)}>{name}</a>
                </td>
                <td class="cut wide">{namespace}</td>
                <td class="fit" title={health.get(id)?.message}>
                  {isNamed ? <State of={named} /> : <Health of={health.get(id)} />}
                </td>
                <td class="wide">
                  <Pods unit={object} pods={pods.get(id) ?? []} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {tree.error && <p class="pad quiet break">{`What is on the cluster is not shown: ${tree.error.message}`}</p>}
      {rows.length > maxRows && <p class="pad quiet">{`and ${rows.length - maxRows} more: filter to see them`}</p>}
    </section>
  )
}

const Health = ({ of: found }: { readonly of: LiveObject | undefined }) =>
  found ? <State of={shownLive(found.state)} /> : null

/** A mark for each pod, which leads to its log. */
const Pods = ({ unit, pods }: { readonly unit: KubernetesObject; readonly pods: readonly LivePod[] }) => (
  <span class="links">
    {pods.map(pod => (
      <a key={pod.name} href={liveHref(unit, podId(pod), 'log')} title={`${pod.name}: ${pod.message}`}>
        <State of={{ ...shownLive(pod.state), word: pod.name.slice(-5) }} />
      </a>
    ))}
  </span>
)

/** Not for `web-2` if the message is about `web-20`. */
const isNamedIn = (message: string, { kind, namespace, name }: { kind: string; namespace: string; name: string }) =>
  message
    .split(`${kind}/${namespace ? `${namespace}/` : ''}${name}`)
    .slice(1)
    .some(rest => !/^(?:[\w-]|\.\w)/.test(rest))
