import type { ObjectState } from '../foundations/fleet/object-state.ts'

/**
 * Whether waiting for these objects may end: `ready` if all are (suspended ones don't count), `stalled` if one can't proceed without a
 * change, otherwise `open`: a failed object is retried and may depend on another's progress.
 */
export const readinessOf = (states: readonly ObjectState[]): 'ready' | 'stalled' | 'open' => {
  const awaited = states.filter(({ state }) => state !== 'suspended')
  if (awaited.some(({ state }) => state === 'stalled')) return 'stalled'
  return awaited.every(({ state }) => state === 'ready') ? 'ready' : 'open'
}
