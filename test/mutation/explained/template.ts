import type { Explanation } from '../explanation.ts'

export const explained: readonly Explanation[] = []
