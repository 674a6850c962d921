/** The prose linter of `npm run check`: what it finds, and what is no prose. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintProse } from '../../../.ci/prose/lint.ts'
import { maxWords } from '../../../.ci/prose/rules.ts'

const found = async (text: string): Promise<readonly string[]> => (await lintProse(text)).map(({ message }) => message)
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')

for (const [title, text, expected] of [
  ['a word that reads as if it had been translated', 'The page tells you.', /“tells”: write say/],
  ['the same in a table', '| a |\n| --- |\n| it tells |\n', /“tells”: write say/],
  ['a phrase of several words', 'It is taken away.', /“taken away”: write delete/],
  ['a wordy phrase', 'Use it in order to build.', /in order to/],
  ['a word that is there twice', 'The the hub.', /the/],
  ['a wrong article', 'This is an cluster.', /an.*a/],
  ['a sentence of two ideas', `${words(maxWords + 1)}.`, /41 words in one sentence/],
] as const)
  test(`the linter finds ${title}`, async () => {
    const messages = await found(text)
    assert.equal(messages.length, 1, messages.join('\n'))
    assert.match(messages[0]!, expected)
  })

test('plain English passes', async () => {
  assert.deepEqual(await found('The hub fetches the branch. It applies what has changed.\n'), [])
})

test('code is no prose, and one word of its sentence', async () => {
  assert.deepEqual(await found('```sh\ntell look at\n```\n\nRun `tell the hub to look at this`.\n'), [])
  assert.deepEqual(await found(`\`${words(50)}\` ${words(maxWords - 1)}.`), [])
})

test('a period before a name in code ends a sentence, and so does a colon', async () => {
  assert.deepEqual(await found(`${words(30)}. \`hub\` ${words(30)}: ${words(30)}.`), [])
})

test('a finding has the line of its sentence', async () => {
  assert.deepEqual(
    (await lintProse('# Title\n\nFirst.\n\nThe page tells you.\n')).map(({ line }) => line),
    [5],
  )
})
