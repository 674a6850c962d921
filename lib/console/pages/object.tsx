import { clusterKind, sourceKinds, unitKinds } from '../api/fleet-kinds.ts'
import { hubKind, type ObjectView, readObject } from '../api/read-object.ts'
import { resourcePath } from '../api/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { type ObjectTab, objectHref, objectTabs } from '../model/route.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { YamlText } from '../parts/yaml.tsx'
import { ObjectActions } from './object-actions.tsx'
import { ObjectEvents } from './object-events.tsx'
import { ObjectFacts } from './object-facts.tsx'
import { Inventory } from './object-inventory.tsx'
import { ObjectOverview } from './object-overview.tsx'
import { RunList } from './run-list.tsx'
import { Why } from './why.tsx'

interface Props {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly tab: ObjectTab
}

/** A unit, a source, a cluster: why it is as it is, what it made, what changed, what it says. */
export const ObjectPage = ({ kind: kindName, namespace, name, tab }: Props) => {
  const { api } = useConsole()
  const kind = hubKind(kindName)
  const view = useLive(api, {
    key: `object ${kindName} ${namespace} ${name}`,
    paths: kind ? [resourcePath(kind, { namespace, query: { fieldSelector: `metadata.name=${name}` } })] : [],
    read: async (hub, signal) => (kind ? readObject(hub, kind, { namespace, name }, signal) : undefined),
  })
  return (
    <Loaded of={view}>
      {found => (found ? <Shown view={found} tab={tab} refresh={view.refresh} /> : <UnknownKind kind={kindName} />)}
    </Loaded>
  )
}

interface ShownProps {
  readonly view: ObjectView
  readonly tab: ObjectTab
  readonly refresh: () => void
}

const Shown = ({ view, tab, refresh }: ShownProps) => {
  const { object, kind } = view
  const { name, namespace = '' } = object.metadata
  const ref = { kind: kind.kind, namespace, name }
  const tabs = objectTabs.filter(one => hasTab(one, view))
  return (
    <>
      <div>
        <nav class="crumbs" aria-label="Path">
          {crumbsOf(view).map(({ text, href }) => (
            <a key={href} href={href}>
              {text}
            </a>
          ))}
        </nav>
        <div class="head">
          <div>
            <h1 class="break">
              {name} <span class="tag">{kind.kind}</span> <span class="tag">{namespace}</span>
            </h1>
          </div>
          <div class="actions">
            <ObjectActions view={view} refresh={refresh} />
            <CopyCommand command={`kubectl get ${kind.plural}.${kind.group} ${name} -n ${namespace} -o yaml`} />
          </div>
        </div>
      </div>
      <Why view={view} />
      <ObjectFacts view={view} />
      <nav class="tabs" aria-label="Parts">
        {tabs.map(one => (
          <a key={one} href={objectHref(ref, one)} aria-current={one === tab ? 'page' : undefined}>
            {tabNames[one]}
            {one === 'objects' && <span class="quiet">{` ${entriesOf(view)}`}</span>}
          </a>
        ))}
      </nav>
      {tab === 'overview' && <ObjectOverview view={view} />}
      {tab === 'changes' && <RunList terms={{ namespace, kind: kind.kind, name }} isWhole />}
      {tab === 'objects' && <Inventory view={view} />}
      {tab === 'events' && <ObjectEvents of={ref} />}
      {tab === 'yaml' && <YamlText object={object} />}
    </>
  )
}

const tabNames: Readonly<Record<ObjectTab, string>> = {
  overview: 'Overview',
  changes: 'Changes',
  objects: 'Objects',
  events: 'Events',
  yaml: 'YAML',
}

const entriesOf = ({ object }: ObjectView): number =>
  ((object.status as { readonly inventory?: { readonly entries?: readonly unknown[] } })?.inventory?.entries ?? [])
    .length

const hasTab = (tab: ObjectTab, view: ObjectView): boolean => {
  const isUnit = unitKinds.includes(view.kind)
  if (tab === 'changes') return isUnit
  return tab !== 'objects' || (isUnit && entriesOf(view) > 0)
}

const crumbsOf = ({ kind, object }: ObjectView) => {
  const { namespace = '' } = object.metadata
  const isCluster = kind === clusterKind
  const list = isCluster ? { text: 'Clusters', href: '/clusters' } : { text: 'Units', href: '/units' }
  if (sourceKinds.includes(kind)) return [{ text: 'Fleet', href: '/' }]
  return [list, { text: namespace, href: `${list.href}?namespace=${encodeURIComponent(namespace)}` }]
}

const UnknownKind = ({ kind }: { readonly kind: string }) => (
  <Empty title={`${kind} is no kind that the console shows`} isPage>
    <p>
      <a href="/">Back to the fleet</a>
    </p>
  </Empty>
)
