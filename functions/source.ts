import { stageHandler } from './handlers/stage-handler.ts'

/** Fetches and verifies sources, and stores their artifacts. */
export const handler = stageHandler()
