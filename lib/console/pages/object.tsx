import { hubKind, type ObjectView, readObject } from '../../hub-client/read-object.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { placeOfKind } from '../model/places.ts'
import type { ObjectTab } from '../model/route.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { ObjectActions } from './object-actions.tsx'
import { ObjectFacts } from './object-facts.tsx'
import { ObjectTabs } from './object-tabs.tsx'
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
    read: async (hub, signal) =>
      kind ? readObject(hub, kind, { namespace, name }, { now: Date.now, signal }) : undefined,
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
      <ObjectTabs view={view} tab={tab} />
    </>
  )
}

const crumbsOf = ({ kind, object }: ObjectView) => {
  const { namespace = '' } = object.metadata
  const { text, href } = placeOfKind(kind.kind)
  return [
    { text, href },
    { text: namespace, href: `${href}?namespace=${encodeURIComponent(namespace)}` },
  ]
}

const UnknownKind = ({ kind }: { readonly kind: string }) => (
  <Empty title={`${kind} is no kind that the console shows`} isPage>
    <p>
      <a href="/">Back to the fleet</a>
    </p>
  </Empty>
)
