import { stageHandler } from './handlers/stage-handler.ts'

/** Expands ResourceSets. */
export const handler = stageHandler()
