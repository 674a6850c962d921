import type { Fault } from '../fault.ts'
import { clockFaults } from './clock.ts'
import { diskFaults } from './disk.ts'

export const faults: readonly Fault[] = [...clockFaults, ...diskFaults]
