import type { Clock } from '../../platform/ports/clock.ts'

/** How often the passes of a process store their progress in a second, all together. */
const perSecond = 20

/** Whether progress may be stored now. Where a hundred objects are reconciled at once, most are done before anyone could read it. */
export const createProgressAllowance = ({ now }: Pick<Clock, 'now'>): (() => boolean) => {
  let second = Number.NaN
  let left = 0
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) left = perSecond
    second = current
    if (left === 0) return false
    left--
    return true
  }
}
