"""A rule's fix in the words of the client's library.

Texts of rules name options in braces, by Java's names (`{linger.ms}`), or by words for what is no option there
(`{re-authentication}`). `library.filled` puts in what the client's library calls it, its default, or what does the same
where there is no such option. `libraries` tells the library, by what ApiVersions said (KIP-511) or by a fingerprint:
the versions in which libraries that say nothing send their requests.

One module per library holds its table; every name and default was read in the documentation or source that stands
beside it. `docs/options.md` shows all tables side by side.
"""
