import { killedAtEachStep } from './killed-automation.ts'

killedAtEachStep('IM-065', 'a branch')
killedAtEachStep('IM-065 IM-069', 'a pull request')
killedAtEachStep('IM-045 IM-063 IM-065', 'a replaced branch')
killedAtEachStep('IM-045 IM-065', 'a branch over a tag')
killedAtEachStep('IM-065 IM-072', 'a branch and its copy')
killedAtEachStep('IM-065 IM-072', 'a branch, and then its copy')
