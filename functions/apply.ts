import { stageHandler } from './handlers/stage-handler.ts'

/** Applies to clusters, prunes, and looks at health. */
export const handler = stageHandler()
