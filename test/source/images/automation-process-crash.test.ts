import { killedAtEachStep } from './killed-automation.ts'

killedAtEachStep('IM-065', 'a branch')
killedAtEachStep('IM-065 IM-069', 'a pull request')
