import trustedRoot from './public-good-root.json' with { type: 'json' }
import tufRoot from './public-tuf-root.json' with { type: 'json' }

/** `trusted_root.json` of the public Sigstore, as of this release. */
export const publicGoodRoot: Uint8Array = Buffer.from(JSON.stringify(trustedRoot))

/**
 * `root.json` of its TUF repository, from which newer ones are verified step by step. Its signatures are over the
 * canonical form.
 */
export const publicTufRoot: string = JSON.stringify(tufRoot)
