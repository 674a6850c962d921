/** Whether the dependencies of a Kustomization are ready, with Flux's messages. */
import type { Dependency, Kustomization } from '../kinds/kustomization.ts'
import { sourceNamespaceOf } from '../kinds/kustomization.ts'
import { isConditionTrue } from './conditions.ts'

/** `namespace/name` of a dependency. */
export const dependencyName = (dependent: Kustomization, { namespace, name }: Dependency): string =>
  `${namespace || dependent.metadata.namespace}/${name}`

/** The reason why the dependent can't start, or undefined. `revision` is that of the dependent's source. */
export const dependencyProblem = (
  dependent: Kustomization,
  reference: Dependency,
  dependency: Kustomization | undefined,
  revision: string,
): string | undefined => {
  const name = dependencyName(dependent, reference)
  if (!dependency) {
    return `dependency '${name}' not found: kustomizations.kustomize.toolkit.fluxcd.io "${reference.name}" not found`
  }
  const { metadata, status } = dependency
  if (metadata.generation !== status?.observedGeneration || !isConditionTrue(status?.conditions, 'Ready')) {
    return `dependency '${name}' is not ready`
  }
  if (haveSameSource(dependent, dependency) && status?.lastAppliedRevision !== revision) {
    return `dependency '${name}' revision is not up to date`
  }
  return undefined
}

const haveSameSource = (a: Kustomization, b: Kustomization): boolean =>
  a.spec.sourceRef.kind === b.spec.sourceRef.kind &&
  a.spec.sourceRef.name === b.spec.sourceRef.name &&
  sourceNamespaceOf(a) === sourceNamespaceOf(b)

/** The dependencies of a Kustomization, both by `namespace/name`. */
export type DependenciesOf = (name: string) => Promise<readonly string[]>

/** Maximum number of steps to follow: no one has chains this long, and a hub may have a hundred thousand objects. */
const maxSearched = 1_000

/** A cycle of dependencies through a Kustomization, as in [a, b, a]; undefined if there is none. */
export const findCycle = async (
  start: string,
  dependenciesOf: DependenciesOf,
  most = maxSearched,
): Promise<readonly string[] | undefined> => {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (let at = 0; at < queue.length && at < most; at++) {
    const name = queue[at]!
    for (const next of await dependenciesOf(name)) {
      if (next === start) return wayBack(name, cameFrom, [start])
      if (cameFrom.has(next)) continue
      cameFrom.set(next, name)
      queue.push(next)
    }
  }
  return undefined
}

const wayBack = (
  name: string | undefined,
  cameFrom: ReadonlyMap<string, string>,
  tail: readonly string[],
): readonly string[] => (name === undefined ? tail : wayBack(cameFrom.get(name), cameFrom, [name, ...tail]))
