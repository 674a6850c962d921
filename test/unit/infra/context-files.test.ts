import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ContextError } from '../../../infra/context.ts'
import { auditPolicyOf, authenticationConfigOf } from '../../../infra/context-files.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const fileWith = (content: string): string => {
  const file = join(tempDir(), 'authentication.yaml')
  writeFileSync(file, content)
  return file
}

const configuration = (issuer: string) => `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer: {url: ${issuer}, audiences: [keelson]}
    claimMappings: {username: {claim: sub, prefix: ''}}
`

const refused = (message: RegExp) => (error: unknown) => error instanceof ContextError && message.test(error.message)

test('takes a file that a hub can use as it is', () => {
  const content = configuration('https://login.example.com')
  assert.equal(authenticationConfigOf(fileWith(content), undefined), content)
})

test('refuses others before anything is deployed, and says why', () => {
  assert.throws(() => authenticationConfigOf('/nowhere/a.yaml', undefined), refused(/authenticationConfig: ENOENT/))
  const plain = fileWith(configuration('http://login.example.com'))
  assert.throws(() => authenticationConfigOf(plain, undefined), refused(/jwt\[0\]\.issuer\.url: .*must be https/))
  const own = fileWith(configuration('https://hub.example.com'))
  assert.throws(() => authenticationConfigOf(own, 'https://hub.example.com'), refused(/disallowed issuers/))
})

test('takes an audit policy that a hub can use, and refuses others', () => {
  const policy = (level: string) => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: ${level}}]\n`
  assert.equal(auditPolicyOf(fileWith(policy('Metadata'))), policy('Metadata'))
  assert.throws(() => auditPolicyOf('/nowhere/a.yaml'), refused(/auditPolicy: ENOENT/))
  assert.throws(() => auditPolicyOf(fileWith(policy('Everything'))), refused(/auditPolicy: .*rules\[0\]\.level/))
})
