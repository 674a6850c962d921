import type { Sort } from '../../../../../lib/engines/template/functions/master-password.ts'

/** Whose passwords are recorded in sites.recorded.json, as Go derives them. */
export const owner = { user: 'üser', password: 'pässword' } as const

const counts: Readonly<Record<Sort, number>> = { maximum: 12, long: 90, medium: 6, short: 6, basic: 15, pin: 4 }

/** So many sites that every pattern and letter comes up. */
export const sites = Object.entries(counts).flatMap(([sort, count]) =>
  Array.from({ length: count }, (_, i) => ({
    sort: sort as Sort,
    site: `site-${i}.例`,
    counter: i % 3 === 0 ? 2 ** 32 - 1 - i : i,
  })),
)
