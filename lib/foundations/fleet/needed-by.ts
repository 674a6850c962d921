import { builtInKinds } from '../kinds/all.ts'
import { dependencyRefs } from '../kinds/depends-on.ts'
import type { Kind } from '../kinds/kind.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { isHubGroup } from '../kinds/references.ts'

/** Fields of a spec that refer to other objects. */
export interface Needs {
  readonly sourceRef?: Reference
  readonly sources?: readonly Reference[]
  readonly chartRef?: Reference
  readonly imageRepositoryRef?: Reference
  readonly dependsOn?: readonly Reference[]
  readonly inputsFrom?: readonly Reference[]
}

interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

export type Needing = KubernetesObject & {
  readonly spec?: Needs
  readonly status?: { readonly helmChart?: string }
}

/** What an object depends on, according to its spec and status: what it is made of, then the objects that it waits for. */
export const neededBy = (object: Needing): readonly Reference[] => {
  const { kind, metadata, spec = {} } = object
  const dependencies = (spec.dependsOn ?? []).map(reference => ({ kind, ...reference }))
  return [...madeOf(object), ...dependencies, ...dependencyRefs({ metadata })]
}

/** Sources, charts and inputs. */
const madeOf = ({ kind, spec = {}, status }: Needing): readonly Reference[] => [
  ...(spec.sourceRef ? [spec.sourceRef] : []),
  ...(kind === 'ArtifactGenerator' ? (spec.sources ?? []) : []),
  ...(spec.chartRef ? [spec.chartRef] : madeChartOf(status?.helmChart)),
  ...(spec.imageRepositoryRef ? [{ kind: 'ImageRepository', ...spec.imageRepositoryRef }] : []),
  ...(spec.inputsFrom ?? [])
    .filter(({ name }) => name)
    .map(reference => ({ kind: 'ResourceSetInputProvider', ...reference })),
]

/** The same by name, as `Kind/namespace/name`. */
export const neededNames = (object: Needing): readonly string[] => namesOf(object, neededBy(object))

/** Sources, charts and inputs by name. */
export const sourceNames = (object: Needing): readonly string[] => namesOf(object, madeOf(object))

const namesOf = ({ metadata }: Needing, references: readonly Reference[]): readonly string[] =>
  references.map(({ kind, namespace, name }) => `${kind}/${namespace || metadata.namespace}/${name}`)

const madeChartOf = (helmChart: string | undefined): readonly Reference[] => {
  if (!helmChart) return []
  const [namespace, name] = helmChart.split('/')
  return [{ kind: 'HelmChart', namespace, name }]
}

/** The Flux kind of a reference. */
export const kindOf = ({ kind = '' }: Reference): Kind | undefined =>
  builtInKinds.find(known => known.kind === kind && isHubGroup(known.group))
