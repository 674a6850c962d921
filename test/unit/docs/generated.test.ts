import { assertFresh } from '../../docs/assert-fresh.ts'
import { generators } from '../../docs/generators.ts'

assertFresh(generators.filter(({ slow }) => !slow))
