import { groupOfFluxKind } from '../../foundations/kinds/references.ts'
import { pinAnnotation, proposedAnnotation } from '../../foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import type { PinChange } from '../../foundations/rollout/world.ts'
import { pinText } from '../../foundations/rules/pin.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import type { KnownRuns } from './unit-state.ts'

/** Pins that one pass writes at most; the next one follows at once. */
const maxPins = 2_000
const concurrency = 16

interface WriteOptions {
  readonly hub: Pick<Hub, 'patch'>
  readonly now: number
  readonly signal: AbortSignal
}

/** Writes pins into units. Returns whether some are left for the next pass. A unit that is gone needs none. */
export const writePins = (
  pins: readonly PinChange[],
  { target, previous }: KnownRuns,
  { now, ...options }: WriteOptions,
): Promise<boolean> =>
  annotateAll(pins, options, ({ key, to, isPlanned }) => {
    const run = to === 'target' ? target : previous
    if (!run) return undefined
    const proposed = isPlanned ? nameOf(run) : null
    return { key, annotations: { [pinAnnotation]: pinOfRun(run, now), [proposedAnnotation]: proposed } }
  })

/** Has units plan what the revision of the run would change. Returns whether some are left for the next pass. */
export const writeProposals = (
  keys: readonly string[],
  { target }: KnownRuns,
  options: Omit<WriteOptions, 'now'>,
): Promise<boolean> =>
  annotateAll(keys, options, key => ({ key, annotations: { [proposedAnnotation]: nameOf(target) } }))

const nameOf = ({ metadata }: RolloutRun): string => `${metadata.namespace}/${metadata.name}`
const pinOfRun = ({ metadata: { namespace = '', name } }: RolloutRun, since: number): string =>
  pinText({ namespace, run: name, since })

interface Annotated {
  readonly key: string
  readonly annotations: Readonly<Record<string, string | null>>
}

const annotateAll = async <T>(
  items: readonly T[],
  { hub, signal }: Omit<WriteOptions, 'now'>,
  of: (item: T) => Annotated | undefined,
): Promise<boolean> => {
  const writing = items.slice(0, maxPins).values()
  const worker = async (): Promise<void> => {
    for (const item of writing) {
      signal.throwIfAborted()
      const annotated = of(item)
      if (annotated) await annotate(annotated, hub)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return items.length > maxPins
}

const annotate = async ({ key, annotations }: Annotated, hub: Pick<Hub, 'patch'>): Promise<void> => {
  const [kind = '', namespace = '', name = ''] = key.split('/')
  const ref = { group: groupOfFluxKind(kind), kind, namespace, name }
  const patch = { metadata: { annotations } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' }).catch(error => {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error
  })
}
