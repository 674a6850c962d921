import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Held, Pass } from '../runtime/reconciler.ts'
import type { Restraining } from '../windows/restraint.ts'
import { heldBack } from '../windows/waiting.ts'
import type { ActionName } from './decide.ts'
import type { Work } from './work.ts'

/**
 * How a pass ends that windows keep from beginning an action; undefined if it may, 'reported' for drift that is only reported. Remediations
 * and tests belong to a change that has begun: they never wait.
 */
export const heldByWindows = (
  { draft: { release }, pass, now, attempt, restraint: { holds } }: Work,
  action: ActionName,
): Held<HelmRelease> | 'reported' | undefined => {
  if (action === 'correct cluster drift') return holds.DriftCorrection && 'reported'
  if (!changes.has(action) || !holds.Changes) return undefined
  const { chartName, chartVersion } = attempt
  const isChange = action === 'install' || action === 'upgrade'
  const held = { pass, now: now(), isChange }
  return heldRelease(release, `${action} with chart ${chartName}@${chartVersion}`, holds.Changes, held)
}

const changes: ReadonlySet<ActionName> = new Set(['install', 'upgrade', 'undo', 'unlock'])

/**
 * How a pass ends in which `what` waits for a window or an approver: Ready says so, and the next pass comes when the
 * hold may end, at the latest after the interval.
 */
export const heldRelease = (
  release: HelmRelease,
  what: string,
  hold: Restraining,
  timing: { readonly pass: Pass<HelmRelease>; readonly now: number; readonly isChange?: boolean },
): Held<HelmRelease> => heldBack(release, `${what} waits`, hold, { ...timing, intervalMs: intervalOf(release) })
