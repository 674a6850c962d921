import { groupOf, type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { ClusterError } from '../client/client.ts'
import { limiter } from '../client/limiter.ts'
import { ApplyError, type ApplyFailure, dryRunFailure, writeFailure } from './apply-error.ts'
import { type Change, type ChangeSet, changeOf } from './change-set.ts'
import type { Health } from './health.ts'
import { type ApplyVerdict, judge } from './judge.ts'
import type { Observed } from './observe.ts'
import { type WriteContext, write } from './write.ts'

/** One object of a build on its way to the cluster. */
export interface Item {
  readonly desired: KubernetesObject
  readonly origin?: string | undefined
  /** The origin with the line of a field. */
  readonly locateField?: ((field?: string) => string) | undefined
}
export interface Accepted extends Item {
  readonly verdict: ApplyVerdict
}
export interface Refused extends Item {
  readonly failure: ApplyFailure
}
export type Judged = Accepted | Refused
export type ItemResult =
  | { readonly change: Change; readonly live?: KubernetesObject }
  | { readonly waitingFor: Health }
  | Refused

export const isRefused = <T extends object>(result: T | Refused): result is Refused => 'failure' in result

export const isAccepted = (result: Judged): result is Accepted => !isRefused(result)

/** Fails with all refusals, in apply order; `changes` lists the changes made so far. */
export const requireNone = (refused: readonly Refused[], changes: ChangeSet): void => {
  if (refused.length === 0) return
  const inOrder = refused.toSorted((a, b) => compareApplyOrder(refOf(a.desired), refOf(b.desired)))
  throw new ApplyError(
    inOrder.map(({ failure }) => failure),
    changes,
  )
}

/** Judges and writes objects, with bounded concurrency. Refusals are results, so that all of them can be reported. */
export const applyEngine = (context: WriteContext, concurrency: number) => {
  const limited = limiter(concurrency)
  const each = <I extends Item, R>(
    items: readonly I[],
    work: (item: I) => Promise<R>,
    describe: typeof dryRunFailure,
  ) =>
    Promise.all(
      items.map(item =>
        limited<R | Refused>(async () => {
          try {
            return await work(item)
          } catch (error) {
            if (error instanceof ClusterError) return refusal(item, error, describe)
            throw error
          }
        }, context.signal),
      ),
    )

  return {
    judgeAll: (items: readonly Item[], known: Observed) =>
      each<Item, Accepted>(
        items,
        // An item that is judged again may have been refused before: drop that refusal.
        async ({ desired, origin, locateField }) => {
          const verdict = await judge(desired, known.get(refKey(refOf(desired))), context)
          return { desired, origin, locateField, verdict }
        },
        dryRunFailure,
      ),
    writeAll: (items: readonly Accepted[]) =>
      each<Accepted, ItemResult>(
        items,
        async ({ desired, origin, verdict }) => {
          const result = await write(desired, verdict, context)
          if (result.action === 'terminating') return result
          const { action, live, ...more } = result
          return { change: { ...changeOf(live ?? desired, action, origin), ...more }, live }
        },
        writeFailure,
      ),
  }
}

const refusal = (item: Item, error: ClusterError, describe: typeof dryRunFailure): Refused => {
  const { desired, origin, locateField } = item
  const place = locateField?.(refusedField(error)) ?? origin
  return { desired, origin, locateField, failure: describe(refOf(desired), error, place) }
}

/** What the cluster says of an object, or that it refuses the object. Fails if it is unreachable. */
export const orRefusal = async <T>(item: Item, request: () => Promise<T>): Promise<T | Refused> => {
  try {
    return await request()
  } catch (error) {
    if (error instanceof ClusterError && error.code !== 'unreachable') return refusal(item, error, dryRunFailure)
    throw error
  }
}

/** The field that an API server rejects, the first of several. */
export const refusedField = ({ causes, message }: ClusterError): string | undefined =>
  causes.find(({ field }) => field)?.field ?? /: (\.[\w.\-[\]="/]+): /.exec(message)?.[1]

/** An error of the cluster as a whole is reported for one object: the others would repeat it. */
export const orRefuse = async <T>(item: Item, request: () => Promise<T>): Promise<T> => {
  try {
    return await request()
  } catch (error) {
    if (error instanceof ClusterError) requireNone([refusal(item, error, dryRunFailure)], [])
    throw error
  }
}

/** In apply order; objects of one kind do not depend on each other, and are written concurrently. */
export const byKind = <I extends Item>(items: readonly I[]): Iterable<readonly I[]> =>
  Map.groupBy(
    items.toSorted((a, b) => compareApplyOrder(refOf(a.desired), refOf(b.desired))),
    ({ desired }) => `${groupOf(desired.apiVersion)}/${desired.kind}`,
  ).values()
