import { replayAll, throughRunner } from '../flux/scenarios-at-once.ts'
import type { ConformanceSuite } from '../suite.ts'

/** Recorded of Flux's controllers: every scenario is replayed on real kube-apiservers. Takes minutes. */
export const suite: ConformanceSuite = {
  folder: 'flux',
  slow: true,
  cases: replayAll,
  throughRunner: throughRunner(),
}
