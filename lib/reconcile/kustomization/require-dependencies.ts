import { CelError } from '../../engines/cel/cel-error.ts'
import { booleanExpression } from '../../engines/cel/expression.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { Dependency, Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { dependencyName, dependencyProblem, findCycle } from '../../foundations/rules/dependencies.ts'
import { type DependencyRead, hubReader, readDependency } from '../../hub/references/read-dependency.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import type { Evaluations } from '../heavy-work/evaluations.ts'
import type { Context } from './context.ts'
import type { Revision } from './events.ts'
import { eventMetadata } from './events.ts'
import { failure, invalidExpression } from './failure.ts'
import { impersonatedAccount } from './target-cluster.ts'

/** Halts until every dependency is ready for the revision that is about to be applied; names a cycle if there is one. */
export const requireDependencies = async (
  kustomization: Kustomization,
  revision: Revision,
  context: Context,
  evaluations: Evaluations,
  signal: AbortSignal,
): Promise<void> => {
  const { references, settings } = context
  const { requeueDependencyMs, additiveReadyCheck } = settings
  for (const reference of kustomization.spec.dependsOn ?? []) {
    const { object, orForbidden } = await find(kustomization, reference, context, signal)
    const dependency = object as Kustomization | undefined
    const problem =
      (await expressionProblem(kustomization, reference, dependency, revision, evaluations)) ??
      (dependency && reference.readyExpr && !additiveReadyCheck
        ? undefined
        : dependencyProblem(kustomization, reference, dependency, revision.revision))
    if (!problem) continue
    const text = dependency ? problem : `${problem}${orForbidden}`
    const cycle =
      text === problem // a dependency that can't be read is not followed either
        ? await findCycle(nameOf(kustomization), async name =>
            dependenciesOf(await read(kustomization, name, references)),
          )
        : undefined
    throw failure('DependencyNotReady', cycle ? `${problem}: dependency cycle ${cycle.join(' -> ')}` : text, {
      afterMs: requeueDependencyMs,
      ...(!cycle && { isWait: true }),
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
 * Why the dependency's own expression rejects it, if it has one. As in Flux, an expression that can't be evaluated yet means
 * not ready, and a malformed one stalls.
 */
const expressionProblem = async (
  kustomization: Kustomization,
  reference: Dependency,
  dependency: Kustomization | undefined,
  revision: Revision,
  evaluations: Evaluations,
): Promise<string | undefined> => {
  const { readyExpr } = reference
  if (!dependency || !readyExpr) return undefined
  try {
    const expression = booleanExpression(readyExpr, ['self', 'dep'])
    const isReady = await evaluations.evaluateBoolean(expression, { self: kustomization, dep: dependency })
    return isReady
      ? undefined
      : `dependency '${dependencyName(kustomization, reference)}' is not ready according to readyExpr eval`
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.stage === 'evaluation') return error.messageWithoutValues // the object has another owner
    const name = dependency.metadata.name
    throw invalidExpression(`terminal error: failed to evaluate dependency ${name}: ${error.message}`, revision)
  }
}

const find = async (
  kustomization: Kustomization,
  reference: Dependency,
  { references, hubCluster, settings }: Context,
  signal: AbortSignal,
): Promise<DependencyRead> => {
  const name = dependencyName(kustomization, reference)
  if (!reference.readyExpr) return { object: await read(kustomization, name, references), orForbidden: '' }
  const reader = hubReader(kustomization, impersonatedAccount(kustomization, settings), hubCluster)
  return readDependency(reader, { apiVersion, ref: refOfName(name), hasExpression: true }, { signal })
}

const group = 'kustomize.toolkit.fluxcd.io'
const apiVersion = `${group}/v1`

const refOfName = (name: string): ObjectRef => {
  const [namespace = '', ...rest] = name.split('/')
  return { group, kind: 'Kustomization', namespace, name: rest.join('/') }
}

/** As in Flux, the flag does not affect dependencies. */
const read = (dependent: Kustomization, name: string, references: References): Promise<Kustomization | undefined> => {
  const ref = refOfName(name)
  return references.anywhere<Kustomization>(dependent, ref, ref, everyNamespace)
}

const nameOf = ({ metadata }: Kustomization): string => `${metadata.namespace}/${metadata.name}`

const dependenciesOf = (kustomization: Kustomization | undefined): readonly string[] =>
  (kustomization?.spec.dependsOn ?? []).map((reference: Dependency) => dependencyName(kustomization!, reference))
