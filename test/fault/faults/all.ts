import type { Fault } from '../fault.ts'
import { artifactFaults } from './artifacts.ts'
import { blackHoleFaults } from './black-hole.ts'
import { clockFaults } from './clock.ts'
import { clusterAnswerFaults } from './cluster-answers.ts'
import { deletionFaults } from './deletion.ts'
import { diskFaults } from './disk.ts'
import { runnerFaults } from './runner.ts'
import { startFaults } from './start.ts'

export const faults: readonly Fault[] = [
  ...clockFaults,
  ...diskFaults,
  ...artifactFaults,
  ...startFaults,
  ...clusterAnswerFaults,
  ...deletionFaults,
  ...blackHoleFaults,
  ...runnerFaults,
]
