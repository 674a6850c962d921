import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, printResources } from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

/** What is no text, and so no part of recorded trees. Expected is what the real kustomize printed. */

const NEW = Buffer.from('fffe0062696e', 'hex')
const OLD = Buffer.from('ff6f6c64', 'hex')

test('puts bytes that are no text into binaryData, and into a Secret like any others', async () => {
  const tree = memoryTree({
    'base/old.bin': OLD,
    'base/kustomization.yaml':
      'configMapGenerator: [{name: c, files: [old.bin, both=old.bin, x=x.txt]}]\nsecretGenerator: [{name: s, files: [old.bin, both=old.bin], literals: [a=b]}]\n',
    'base/x.txt': 'text\n',
    'new.bin': NEW,
    'kustomization.yaml':
      'resources: [base]\nconfigMapGenerator: [{name: c, behavior: merge, files: [new.bin, both=new.bin]}]\nsecretGenerator: [{name: s, behavior: merge, files: [new.bin, both=new.bin]}]\n',
  })
  assert.equal(
    printResources((await build(tree, '')).resources),
    `apiVersion: v1
binaryData:
  both: //4AYmlu
  new.bin: //4AYmlu
  old.bin: /29sZA==
data:
  x: |
    text
kind: ConfigMap
metadata:
  name: c-t6kd98mh6f
---
apiVersion: v1
data:
  a: Yg==
  both: //4AYmlu
  new.bin: //4AYmlu
  old.bin: /29sZA==
kind: Secret
metadata:
  name: s-b82hmtb47m
type: Opaque
`,
  )
})

test('refuses lines of env files that are no text, with their bytes', async () => {
  const tree = memoryTree({
    'kustomization.yaml': 'configMapGenerator: [{name: c, envs: [bad.env]}]\n',
    'bad.env': Buffer.from('613d310aff3d320d0a', 'hex'),
  })
  await assert.rejects(build(tree, ''), {
    message: 'loading KV pairs: env source files: [bad.env]: line [255 61 50] has invalid utf8 bytes : \ufffd=2',
  })
})
