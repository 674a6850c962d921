import type { ComponentChildren } from 'preact'
import type { ObjectState } from '../../foundations/fleet/object-state.ts'
import { maxFound, type SearchResult, searchHub } from '../../hub-client/search-hub.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { count, counted, revisionText } from '../model/phrases.ts'
import { type ObjectName, objectHref, parseObjectName } from '../model/route.ts'
import { type Shown, shownFrom, shownStateOf, stateOfCluster } from '../model/shown-state.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'

/** What matches anywhere: units by name and revision, clusters, sources and receivers. */
export const SearchPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const text = query.q?.trim() ?? ''
  const found = useLive(api, {
    ...{ key: `search ${namespace ?? ''} ${text}`, paths: [], keepsOld: true },
    read: async (hub, signal) => (text === '' ? undefined : searchHub(hub, namespace, text, signal)),
  })
  if (text === '')
    return (
      <Empty title="Search for a name, a revision, a version or an address" isPage>
        <p>A part of it is enough. The key / leads to the field above.</p>
      </Empty>
    )
  return <Loaded of={found}>{result => result && <Result of={result} text={text} />}</Loaded>
}

interface Line {
  readonly href: string
  readonly name: string
  readonly about: string
  readonly state: Shown
}

const Result = ({ of: result, text }: { readonly of: SearchResult; readonly text: string }) => {
  const { units, revisions, clusters, sources, receivers } = result
  const total = [units, revisions, clusters, sources, receivers].reduce((sum, found) => sum + found.total, 0)
  return (
    <>
      <div class="head">
        <div>
          <h1 class="break">{`${counted(total, 'match', 'matches')} for “${text}”`}</h1>
        </div>
      </div>
      <Group
        title="Units"
        total={units.total}
        all={withQuery('/units', { q: text })}
        lines={units.items.map(unitLine)}
      />
      <Group
        title="Units by revision"
        total={revisions.total}
        all={withQuery('/units', { revision: text })}
        lines={revisions.items.map(row => ({ ...unitLine(row), about: revisionText(row.revision) }))}
      />
      <Group
        title="Clusters"
        total={clusters.total}
        all={withQuery('/clusters', { q: text })}
        lines={clusters.items.map(row => ({
          href: row.name
            ? objectHref({ kind: 'Cluster', namespace: row.namespace, name: row.name })
            : unitsOn(row.access),
          name: row.name ?? parseObjectName(row.access)?.name ?? row.access,
          about: [row.version, row.server].filter(Boolean).join(' at '),
          state: stateOfCluster(row),
        }))}
      />
      <Group
        title="Sources"
        total={sources.total}
        all={withQuery('/sources', { q: text })}
        lines={sources.items.map(unitLine)}
      />
      <Group
        title="Receivers"
        total={receivers.total}
        all="/receivers"
        lines={receivers.items.map(receiver => ({
          ...objectLine({ kind: 'Receiver', ...receiver.metadata }),
          state: shownStateOf({ ...receiver, kind: 'Receiver' }),
        }))}
      />
      {total === 0 && (
        <div class="panel">
          <Empty title="Nothing matches">
            <p>Names, revisions, versions and addresses are searched, in what you may list.</p>
          </Empty>
        </div>
      )}
      <Refused of={result} />
    </>
  )
}

const unitsOn = (cluster: string): string => withQuery('/units', { cluster })

const objectLine = ({ kind, namespace, name }: ObjectName) => ({
  ...{ href: objectHref({ kind, namespace, name }), name, about: `${kind} in ${namespace}` },
})

type Row = ObjectName & {
  readonly state: ObjectState['state']
  readonly reason?: string
  readonly waiting?: string
}

const unitLine = (row: Row): Line => {
  const { state, reason, waiting } = row
  return { ...objectLine(row), state: shownFrom({ state, reason, isWaiting: waiting !== undefined }) }
}

interface GroupProps {
  readonly title: string
  readonly total: number
  /** The page with all of them. */
  readonly all: string
  readonly lines: readonly Line[]
}

const Group = ({ title, total, all, lines }: GroupProps) =>
  total === 0 ? null : (
    <section class="panel" aria-label={title}>
      <div class="bar">
        <h2>{title}</h2>
        <More href={all} isCut={total > maxFound}>{`all ${count(total)}`}</More>
      </div>
      <table class="list" data-rows>
        <tbody>
          {lines.map(({ href, name, about, state }) => (
            <tr key={href}>
              <td class="standing">
                <State of={state} />
              </td>
              <td class="cut main">
                <a href={href} title={name}>
                  {name}
                </a>
                <small class="quiet">{about}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )

const More = ({ href, isCut, children }: { href: string; isCut: boolean; children: ComponentChildren }) =>
  isCut ? (
    <a class="right" href={href}>
      {children}
    </a>
  ) : null
