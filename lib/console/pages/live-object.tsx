import { useState } from 'preact/hooks'
import { namedOrFailing, namesOfContainers } from '../../foundations/fleet/failing-pods.ts'
import { describeKind, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { parseInventoryId } from '../../foundations/rules/inventory.ts'
import { type LiveRef, readLiveEvents, readLiveObject, readPodLog } from '../../hub-client/read-live.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { liveHref } from '../model/unit-graph.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { YamlText } from '../parts/yaml.tsx'
import { EventList } from './object-events.tsx'

const everyMs = 5_000

interface Props {
  readonly unit: KubernetesObject
  /** As in an inventory. */
  readonly id: string
}

/** One object as it is on the cluster now: as YAML, its Events, and the log of a pod. */
export const LiveObjectPanel = ({ unit, id }: Props) => {
  const { query } = useNavigation()
  const { group, kind, namespace, name } = parseInventoryId(id)
  const isPod = kind === 'Pod' && group === ''
  const views = [...(isPod ? ['log'] : []), 'yaml', 'events']
  const view = views.find(one => one === query.view) ?? views[0]!
  const ref = { unit, object: id }
  const scope = namespace ? ` -n ${namespace}` : ''
  const resource = group ? `${kind.toLowerCase()}.${group}` : kind.toLowerCase()
  const command = view === 'log' ? `kubectl logs ${name}${scope} -f` : `kubectl get ${resource} ${name}${scope} -o yaml`
  return (
    <>
      <div class="head">
        <div>
          <nav class="crumbs" aria-label="Path on the cluster">
            <a href={liveHref(unit, '')}>Objects</a>
          </nav>
          <h2 class="break">
            {name} <span class="tag">{describeKind({ group, kind })}</span>{' '}
            {namespace && <span class="tag">{namespace}</span>}
          </h2>
        </div>
        <div class="actions">
          <nav class="chips" aria-label="Views of the object">
            {views.map(one => (
              <a key={one} href={liveHref(unit, id, one)} aria-current={one === view ? 'true' : undefined}>
                {viewNames[one]}
              </a>
            ))}
          </nav>
          <CopyCommand command={command} />
        </div>
      </div>
      {view === 'yaml' && <LiveYaml of={ref} />}
      {view === 'events' && <LiveEvents of={ref} />}
      {view === 'log' && <PodLog of={ref} />}
    </>
  )
}

const viewNames: Readonly<Record<string, string>> = { log: 'Log', yaml: 'YAML', events: 'Events' }

const LiveYaml = ({ of: ref }: { readonly of: LiveRef }) => {
  const { api } = useConsole()
  const object = useLive(api, {
    ...{ key: `live ${ref.object}`, paths: [], everyMs },
    read: (hub, signal) => readLiveObject(hub, ref, signal),
  })
  return <Loaded of={object}>{found => <YamlText object={found} />}</Loaded>
}

const LiveEvents = ({ of: ref }: { readonly of: LiveRef }) => {
  const { api } = useConsole()
  const events = useLive(api, {
    ...{ key: `live events ${ref.object}`, paths: [], everyMs },
    read: (hub, signal) => readLiveEvents(hub, ref, signal),
  })
  return (
    <section class="panel" aria-label="Events on the cluster">
      <Loaded of={events}>
        {items => (items.length === 0 ? <Empty title="No events in the last hour" /> : <EventList events={items} />)}
      </Loaded>
    </section>
  )
}

/** The last lines, read again every few seconds: the container is a term of the address, the filter is not. */
const PodLog = ({ of: ref }: { readonly of: LiveRef }) => {
  const { api } = useConsole()
  const { query, here, go } = useNavigation()
  const [filter, setFilter] = useState('')
  const log = useLive(api, {
    ...{ key: `log ${ref.object} ${query.container ?? ''}`, paths: [], everyMs: 3_000 },
    read: async (hub, signal) => {
      const pod = await readLiveObject(hub, ref, signal)
      const container = namedOrFailing(pod, query.container) ?? ''
      return { names: namesOfContainers(pod), container, lines: await readPodLog(hub, ref, { container }, signal) }
    },
  })
  return (
    <section class="panel" aria-label="Log">
      <Loaded of={log}>
        {({ names, container, lines }) => {
          const shown = lines.filter(line => line.toLowerCase().includes(filter.toLowerCase()))
          return (
            <>
              <div class="bar">
                <label class="field">
                  <span class="hidden">Container</span>
                  <select value={container} onChange={event => go(here({ container: event.currentTarget.value }))}>
                    {names.map(name => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                </label>
                <label class="field">
                  <span class="hidden">Filter lines</span>
                  <input
                    type="search"
                    placeholder="Filter lines"
                    value={filter}
                    onInput={event => setFilter(event.currentTarget.value)}
                  />
                </label>
                <span class="right">{`the last ${counted(lines.length, 'line')}`}</span>
              </div>
              {lines.length === 0 && <p class="pad quiet">It has written nothing.</p>}
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
              <pre class="code log" tabIndex={0}>
                {shown.map((line, at) => (
                  <span key={at}>{line}</span>
                ))}
              </pre>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
