import { groupOfFluxKind } from '../../foundations/kinds/references.ts'
import { pinAnnotation } from '../../foundations/kinds/rollout.ts'
import type { PinChange } from '../../foundations/rollout/world.ts'
import { pinText } from '../../foundations/rules/pin.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import type { KnownRuns } from './unit-state.ts'

/** Pins that one pass writes at most; the next one follows at once. */
const maxPins = 2_000
const concurrency = 16

/** Writes pins into units. Returns whether some are left for the next pass. A unit that is gone needs none. */
export const writePins = async (
  pins: readonly PinChange[],
  { target, previous }: KnownRuns,
  { hub, now, signal }: { readonly hub: Pick<Hub, 'patch'>; readonly now: number; readonly signal: AbortSignal },
): Promise<boolean> => {
  const writing = pins.slice(0, maxPins).values()
  const worker = async (): Promise<void> => {
    for (const { key, to } of writing) {
      signal.throwIfAborted()
      const run = to === 'target' ? target : previous
      if (!run) continue
      const { namespace = '', name } = run.metadata
      await pin(key, pinText({ namespace, run: name, since: now }), hub)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return pins.length > maxPins
}

const pin = async (key: string, value: string, hub: Pick<Hub, 'patch'>): Promise<void> => {
  const [kind = '', namespace = '', name = ''] = key.split('/')
  const ref = { group: groupOfFluxKind(kind), kind, namespace, name }
  const patch = { metadata: { annotations: { [pinAnnotation]: value } } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' }).catch(error => {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error
  })
}
