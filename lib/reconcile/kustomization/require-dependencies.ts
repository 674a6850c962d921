import { CelError } from '../../cel/cel-error.ts'
import { booleanExpression } from '../../cel/expression.ts'
import type { Hub } from '../../hub/hub.ts'
import { formatDuration } from '../../kinds/duration.ts'
import type { Dependency, Kustomization } from '../../kinds/kustomization.ts'
import { dependencyName, dependencyProblem, findCycle } from '../../rules/dependencies.ts'

import type { Revision } from './events.ts'
import { eventMetadata } from './events.ts'
import { failure, invalidExpression } from './failure.ts'
import type { KustomizationSettings } from './settings.ts'

/** Halts until every dependency is ready for the revision that is about to be applied; names a cycle when there is one. */
export const requireDependencies = async (
  hub: Pick<Hub, 'get'>,
  kustomization: Kustomization,
  revision: Revision,
  { requeueDependencyMs, additiveReadyCheck }: KustomizationSettings,
): Promise<void> => {
  for (const reference of kustomization.spec.dependsOn ?? []) {
    const dependency = await read(hub, dependencyName(kustomization, reference))
    const problem =
      expressionProblem(kustomization, reference, dependency, revision) ??
      (dependency && reference.readyExpr && !additiveReadyCheck
        ? undefined
        : dependencyProblem(kustomization, reference, dependency, revision.revision))
    if (!problem) continue
    const cycle = await findCycle(nameOf(kustomization), async name => dependenciesOf(await read(hub, name)))
    throw failure('DependencyNotReady', cycle ? `${problem}: dependency cycle ${cycle.join(' -> ')}` : problem, {
      afterMs: requeueDependencyMs,
      event: {
        severity: 'info',
        reason: 'DependencyNotReady',
        message: `Dependencies do not meet ready condition, retrying in ${formatDuration(requeueDependencyMs)}`,
        metadata: eventMetadata(revision),
      },
    })
  }
}

/**
 * What the dependency's own expression says against it, if it has one. As in Flux, one that can't be evaluated yet is not
 * ready, and one that is malformed halts for good.
 */
const expressionProblem = (
  kustomization: Kustomization,
  reference: Dependency,
  dependency: Kustomization | undefined,
  revision: Revision,
): string | undefined => {
  const { readyExpr } = reference
  if (!dependency || !readyExpr) return undefined
  try {
    const isReady = booleanExpression(readyExpr, ['self', 'dep']).evaluateBoolean({
      self: kustomization,
      dep: dependency,
    })
    return isReady
      ? undefined
      : `dependency '${dependencyName(kustomization, reference)}' is not ready according to readyExpr eval`
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.stage === 'evaluation') return error.message
    const name = dependency.metadata.name
    throw invalidExpression(`terminal error: failed to evaluate dependency ${name}: ${error.message}`, revision)
  }
}

const read = (hub: Pick<Hub, 'get'>, name: string): Promise<Kustomization | undefined> => {
  const [namespace = '', ...rest] = name.split('/')
  return hub.get({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace, name: rest.join('/') })
}

const nameOf = ({ metadata }: Kustomization): string => `${metadata.namespace}/${metadata.name}`

const dependenciesOf = (kustomization: Kustomization | undefined): readonly string[] =>
  (kustomization?.spec.dependsOn ?? []).map((reference: Dependency) => dependencyName(kustomization!, reference))
