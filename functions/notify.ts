import { stageHandler } from './handlers/stage-handler.ts'

/** Sends alerts and commit statuses. */
export const handler = stageHandler()
