/** Documents whose generators start programs; the unit tests look at the others. */
import { assertFresh } from './assert-fresh.ts'
import { generators } from './generators.ts'

assertFresh(generators.filter(({ slow }) => slow))
