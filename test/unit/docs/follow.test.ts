/** The reader that the suites `docs` and `examples` send through the pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempDir } from '../../bed/temp-dir.ts'
import { follow } from '../../docs/follow.ts'
import type { Block } from '../../docs/page.ts'
import { openShell } from '../../docs/shell.ts'

const sh = (text: string): Block => ({ at: 'page.md:1', language: 'sh', words: [], text })
const output = (text: string): Block => ({ at: 'page.md:5', language: 'text', words: ['output'], text })

const following = async (...blocks: readonly Block[]): Promise<void> => {
  await using shell = openShell({ directory: tempDir({ 'sub/file': 'content' }), env: { PATH: process.env.PATH } })
  await follow(blocks, shell, { addresses: { 'https://example.com': 'http://127.0.0.1' } })
}

test('what is exported and where one is stays so from block to block', () =>
  following(sh('cd sub; export NAME=file'), sh('cat $NAME'), output('content\n')))

test('output may vary where the page says so, and in the width of columns', () =>
  following(sh("printf 'NAME   AGE\\nweb    5s\\n'"), output('NAME AGE\nweb …\n')))

test('other output is reported with its place', async () => {
  await assert.rejects(following(sh('echo ready'), output('Ready\n')), /page\.md:5 shows something else/)
  await assert.rejects(following(sh('echo a; echo b'), output('a\n')), /page\.md:5/)
})

test('a command that fails is reported with its place and its words, also in the middle of a pipe', async () => {
  await assert.rejects(following(sh('ls nowhere | cat\necho fine')), /page\.md:1: .*nowhere[\s\S]*No such file/)
})

test('public addresses are replaced by local ones', () =>
  following(sh('echo https://example.com/x'), output('http://127.0.0.1/x\n')))
