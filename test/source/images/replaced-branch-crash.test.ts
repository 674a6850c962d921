import { killedAtEachStep } from './killed-automation.ts'

killedAtEachStep('IM-045 IM-063 IM-065', 'a replaced branch')
killedAtEachStep('IM-045 IM-065', 'a branch over a tag')
