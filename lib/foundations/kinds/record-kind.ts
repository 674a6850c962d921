import { fleetGroup } from './references.ts'

/** What kinds have in common whose objects are records: written by the hub alone, listed and read, but not watched. */
export const recordKindFields = {
  group: fleetGroup,
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: false,
  readOnly: true,
  isUnwatched: true,
} as const
