import { stageHandler } from './handlers/stage-handler.ts'

/** Builds Kustomizations ahead of those who apply them. */
export const handler = stageHandler()
