import { generateX25519Identity, identityToRecipient } from 'age-encryption'

/** An age key pair for a run of the tests. */
export const identity = await generateX25519Identity()
export const recipient = await identityToRecipient(identity)
