import type { ComponentChildren } from 'preact'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import {
  inputProviderKind,
  receiverKind,
  resourceSetKind,
  sourceKinds,
  unitKinds,
} from '../../hub-client/fleet-kinds.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { count } from '../model/phrases.ts'
import { type ObjectTab, objectHref, objectTabs } from '../model/route.ts'
import { useCurrentInView } from '../parts/navigation.tsx'
import { YamlText } from '../parts/yaml.tsx'
import { Deliveries } from './deliveries.tsx'
import { ProviderInputs, ResourceSetInputs } from './inputs.tsx'
import { ObjectDiff } from './object-diff.tsx'
import { ObjectEvents } from './object-events.tsx'
import { ObjectsTab } from './object-inventory.tsx'
import { ObjectOverview } from './object-overview.tsx'
import { PlansOfUnit } from './plan-list.tsx'
import { SourceUsers } from './source-users.tsx'
import { UnitChanges } from './unit-changes.tsx'

/** A part of the page of an object. */
interface Part {
  readonly text: string
  /** Whether this object has it. */
  has(view: ObjectView): boolean
  show(view: ObjectView): ComponentChildren
}

const isUnit = ({ kind }: ObjectView): boolean => unitKinds.includes(kind)

const refOfView = ({ kind, object: { metadata } }: ObjectView) => ({
  ...{ kind: kind.kind, namespace: metadata.namespace ?? '', name: metadata.name },
})

const entriesOf = ({ object }: ObjectView): number =>
  ((object.status as { readonly inventory?: { readonly entries?: readonly unknown[] } })?.inventory?.entries ?? [])
    .length

const parts: Readonly<Record<ObjectTab, Part>> = {
  overview: { text: 'Overview', has: () => true, show: view => <ObjectOverview view={view} /> },
  inputs: {
    text: 'Inputs',
    has: ({ kind }) => kind === resourceSetKind || kind === inputProviderKind,
    show: ({ kind, object }) =>
      kind === resourceSetKind ? (
        <ResourceSetInputs object={object} />
      ) : (
        <ProviderInputs provider={object as unknown as ResourceSetInputProvider} />
      ),
  },
  users: {
    text: 'Used by',
    has: ({ kind }) => sourceKinds.includes(kind),
    show: ({ object }) => <SourceUsers source={object} />,
  },
  deliveries: {
    text: 'Deliveries',
    has: ({ kind }) => kind === receiverKind,
    show: view => <Deliveries namespace={refOfView(view).namespace} receiver={refOfView(view).name} />,
  },
  changes: { text: 'Changes', has: isUnit, show: view => <UnitChanges unit={refOfView(view)} /> },
  plans: {
    text: 'Plans',
    has: view => isUnit(view) && view.kind !== resourceSetKind,
    show: view => <PlansOfUnit terms={refOfView(view)} />,
  },
  diff: { text: 'Diff', has: isUnit, show: view => <ObjectDiff view={view} /> },
  objects: {
    text: 'Objects',
    has: view => isUnit(view) && entriesOf(view) > 0,
    show: view => <ObjectsTab view={view} />,
  },
  events: { text: 'Events', has: () => true, show: view => <ObjectEvents of={refOfView(view)} /> },
  yaml: { text: 'YAML', has: () => true, show: ({ object }) => <YamlText object={object} /> },
}

interface Props {
  readonly view: ObjectView
  readonly tab: ObjectTab
  /** In place of what most objects have. */
  readonly overview?: ComponentChildren
}

/** The parts of an object's page, and the one that is open. */
export const ObjectTabs = ({ view, tab, overview }: Props) => {
  useCurrentInView('.tabs', tab)
  return (
    <>
      <nav class="tabs" aria-label="Parts">
        {objectTabs
          .filter(one => parts[one].has(view))
          .map(one => (
            <a key={one} href={objectHref(refOfView(view), one)} aria-current={one === tab ? 'page' : undefined}>
              {parts[one].text}
              {one === 'objects' && <span class="quiet">{` ${count(entriesOf(view))}`}</span>}
            </a>
          ))}
      </nav>
      {tab === 'overview' && overview ? overview : parts[tab].has(view) && parts[tab].show(view)}
    </>
  )
}
