import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKnownHosts } from '../../../lib/sources/git/ssh/known-hosts.ts'

const key = (name: string) => Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from(`ssh-ed25519${name}`)])
const line = (name: string) => `ssh-ed25519 ${key(name).toString('base64')}`

test('a line of an authority matches no key of a host, as in Flux, which does not support certificates', () => {
  const known = readKnownHosts(`@cert-authority *.example.com ${line('authority')}\n`)
  assert.equal(known.problemWith('git.example.com', 22, key('host')), 'knownhosts: key mismatch')
  assert.equal(known.problemWith('git.example.com', 22, key('authority')), 'knownhosts: key mismatch')
  assert.equal(known.problemWith('git.example.org', 22, key('host')), 'knownhosts: key is unknown')
  assert.deepEqual(known.keyTypes('git.example.com', 22), [])
  const both = readKnownHosts(`@cert-authority * ${line('authority')}\ngit.example.com ${line('host')}\n`)
  assert.equal(both.problemWith('git.example.com', 22, key('host')), undefined)
  assert.equal(both.problemWith('git.example.com', 22, key('other')), 'knownhosts: key mismatch')
  const revoked = readKnownHosts(`git.example.com ${line('host')}\n@revoked * ${line('host')}\n`)
  assert.equal(revoked.problemWith('git.example.com', 22, key('host')), 'knownhosts: key is revoked')
})

test('a name with many wildcards costs no more than its length times that of the address', () => {
  const known = readKnownHosts(`${'*a'.repeat(500)}b ${line('host')}\n`)
  assert.equal(known.problemWith('a'.repeat(250), 22, key('host')), 'knownhosts: key is unknown')
})

test('brackets are those of a port, and no set of characters', () => {
  const known = readKnownHosts(`[git-?.example.com]:22,[*.example.org]:22?2,!bad.example.com ${line('host')}\n`)
  const isKnown = (host: string, port: number) => known.problemWith(host, port, key('host')) === undefined
  assert.deepEqual(
    [isKnown('git-1.example.com', 22), isKnown('git-1.example.com', 2222), isKnown('i.example.org', 2222)],
    [true, false, true],
  )
  assert.deepEqual([isKnown('g', 22), isKnown('bad.example.com', 22)], [false, false])
})
