import { test } from 'node:test'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { scenariosBelow } from '../conformance/flux/scenario.ts'
import { replay } from './replay.ts'

/** What source-controller 1.9.1 did, scenario by scenario: statuses, transitions, events, and files of artifacts. */
const corpus = needsCorpus('flux/gitrepository')

if (corpus.skip) test('does as source-controller does', corpus, () => {})
else
  for (const scenario of scenariosBelow(corpusFile('flux/gitrepository')))
    test(`${scenario.id}: ${scenario.title}`, () => replay(scenario))
