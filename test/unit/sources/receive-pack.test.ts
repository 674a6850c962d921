import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodePackets } from '../../../lib/sources/git/pkt-line.ts'
import { newObjects } from '../../../lib/sources/git/push/new-objects.ts'
import { openReceiver } from '../../../lib/sources/git/push/receive-pack.ts'
import type { GitTransport } from '../../../lib/sources/git/transport.ts'

const [old, now] = ['a'.repeat(40), 'b'.repeat(40)]
const updates = ['refs/heads/auto', 'refs/heads/copy'].map(name => ({ name, from: old, to: now }))

/** Pushes two updates to a server that reports this of them; returns the request. */
const push = async (lines: readonly string[], capabilities = 'report-status atomic'): Promise<string> => {
  let sent = ''
  const stream = async function* (...packets: string[]) {
    yield encodePackets([...packets, 'flush'])
  }
  const transport: GitTransport = {
    stateless: true,
    greeting: async () => stream(`${old} refs/heads/auto\0${capabilities}`),
    request: async body => {
      sent = Buffer.from(body).toString('latin1')
      return stream('unpack ok', ...lines)
    },
    close: async () => {},
  }
  const receiver = await openReceiver(transport, 'https://git.example.com/repo')
  assert.equal(receiver.isAtomic, capabilities.includes('atomic'))
  await receiver.push({ objects: newObjects('sha1'), updates })
  return sent
}

test('several references are pushed with the capability atomic, and not at all without it', async () => {
  const sent = await push(['ok refs/heads/auto', 'ok refs/heads/copy'])
  assert.match(sent, /refs\/heads\/auto\0 report-status atomic agent=/)
  assert.match(sent, /keelson.{4}a{40} b{40} refs\/heads\/copy0000PACK/)
  const refused = { code: 'unsupported', message: 'the server does not support atomic pushes' }
  await assert.rejects(push([], 'report-status'), refused)
})

test('the refusal that is reported is the one that caused the others, in the words of git and of JGit', async () => {
  for (const words of ['atomic push failure', 'transaction aborted']) {
    const report = [`ng refs/heads/auto ${words}`, 'ng refs/heads/copy hook declined']
    const message = 'command error on refs/heads/copy: hook declined'
    await assert.rejects(push(report), { code: 'refused', message })
    await assert.rejects(push(report.slice(0, 1)), { message: `command error on refs/heads/auto: ${words}` })
  }
})

test('a reference that has moved meanwhile is a conflict, whichever of them it is', async () => {
  const both = (words: string) => updates.map(({ name }) => `ng ${name} ${words}`)
  await assert.rejects(push(both('atomic transaction failed')), { code: 'conflict' })
  await assert.rejects(push(['ng refs/heads/auto transaction aborted', 'ng refs/heads/copy failed to lock']), {
    code: 'conflict',
  })
})
