import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { privateKeyFile, readPrivateKeyFile } from '../../../../lib/foundations/ssh/private-key-file.ts'
import { sshReader, sshString } from '../../../../lib/foundations/ssh/wire.ts'

// Against the real ssh-keygen.

const inFile = <T>(use: (file: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-ssh-'))
  try {
    return use(join(folder, 'key'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const blobOf = (publicKey: string): Buffer => Buffer.from(publicKey.split(' ')[1]!, 'base64')

const generate = (passphrase: string, ...options: string[]) =>
  inFile(file => {
    execFileSync('ssh-keygen', ['-q', '-f', file, '-t', 'ed25519', '-C', '', '-N', passphrase, ...options])
    return { pem: readFileSync(file, 'utf8'), publicBlob: blobOf(readFileSync(`${file}.pub`, 'utf8')) }
  })

/** The public part of a key without a passphrase, as ssh-keygen finds it. */
const readBySshKeygen = (pem: string): Buffer =>
  inFile(file => {
    writeFileSync(file, pem, { mode: 0o600 })
    return blobOf(execFileSync('ssh-keygen', ['-y', '-P', '', '-f', file]).toString())
  })

const malformed = new Error('malformed')
const read = (pem: string) => readPrivateKeyFile(pem, () => malformed)
const fileOf = (bytes: Buffer): string =>
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
const bytesOf = (pem: string): Buffer => Buffer.from(pem.split('-----')[2]!, 'base64')

test('a key goes through ssh-keygen, this reader, this writer and ssh-keygen again', () => {
  const { pem, publicBlob } = generate('')
  const file = read(pem)!
  assert.equal(file.hasPassphrase, false)
  const key = file.key()
  assert.deepEqual(key.publicBlob, publicBlob)
  const fields = [key.fields.string(), key.fields.string(), key.fields.string()]
  assert.equal(fields[0]!.toString(), 'ssh-ed25519')
  const written = privateKeyFile(publicBlob, Buffer.concat(fields.map(sshString)))
  assert.deepEqual(readBySshKeygen(written), publicBlob)
  assert.deepEqual(
    written.split('\n').map(line => line.length),
    pem.split('\n').map(line => line.length),
    'lines are as long as those of ssh-keygen',
  )
})

test('reports that there is a passphrase, without asking for it', () => {
  assert.equal(read(generate('secret').pem)?.hasPassphrase, true)
  assert.equal(read(generate('secret', '-Z', 'aes256-ctr').pem)?.hasPassphrase, true)
})

test('other text is no such file, and no fault', () => {
  const { pem } = generate('')
  for (const text of [
    '',
    'hello',
    fileOf(Buffer.from('openssh-key-v2\0')),
    pem.replaceAll('OPENSSH', 'RSA'),
    pem.slice(0, pem.indexOf('-----END')),
    pem.replace('KEY-----\n', 'KEY-----\n!'),
  ])
    assert.equal(read(text), undefined, text)
})

/** The parts of a file, as PROTOCOL.key of OpenSSH names them. */
const partsOf = (pem: string) => {
  const file = sshReader(bytesOf(pem).subarray('openssh-key-v1\0'.length), () => malformed)
  const [cipher, derivation, options] = [file.string().toString(), file.string().toString(), file.string()]
  return { cipher, derivation, options, keys: file.number(), publicBlob: file.string(), secrets: file.string() }
}

test('without a passphrase nothing is encrypted, and the private part is filled to blocks of eight bytes', () => {
  const publicBlob = Buffer.from('public')
  const paddings = [4, 3, 2, 1, 0, 7, 6, 5]
  for (const [length, padding] of paddings.entries()) {
    const fields = Buffer.alloc(length, 'x')
    assert.deepEqual(partsOf(privateKeyFile(publicBlob, fields)), {
      ...{ cipher: 'none', derivation: 'none', options: Buffer.alloc(0), keys: 1, publicBlob },
      secrets: Buffer.concat([
        Buffer.alloc(8),
        fields,
        Buffer.alloc(4),
        Buffer.of(1, 2, 3, 4, 5, 6, 7).subarray(0, padding),
      ]),
    })
  }
})

test('a file of several keys, one decrypted wrongly, and one that ends early are malformed', () => {
  const whole = bytesOf(privateKeyFile(Buffer.from('public'), Buffer.from('private')))
  const keys = whole.indexOf('none', 'openssh-key-v1\0none none'.length) + 'none'.length + 4
  const check = whole.indexOf('public') + 'public'.length + 4
  const changed = (at: number, byte: number): string => {
    const bytes = Buffer.from(whole)
    bytes[at] = byte
    return fileOf(bytes)
  }
  for (const at of [keys + 3, check, check + 7]) assert.throws(() => read(changed(at, 9))!.key(), malformed)
  assert.throws(() => read(fileOf(whole.subarray(0, -1)))!.key(), malformed)
  assert.throws(() => read(fileOf(whole.subarray(0, keys - 1))), malformed)
  assert.deepEqual(read(changed(check - 5, 0x21))!.key().publicBlob, Buffer.from('publi!'))
})
