"""Forms of one given name or place that no rule of spelling leads to, in a few languages. Pure; general knowledge."""

from __future__ import annotations

_FORMS = (
    "robert bob rob bobby robbie", "william bill will billy liam", "richard dick rick rich", "edward ed ted eddie ned", "james jim jimmy jamie",
    "john jack johnny jon", "margaret maggie meg peggy greta grete", "elizabeth liz beth betty eliza lisa lizzie elisabeth elise",
    "katherine kate kathy katie catherine cathy katharina kathrin", "michael mike mick micha", "anthony tony", "charles charlie chuck",
    "henry harry hank", "theodore ted theo", "francis frank fran", "alexander alex sasha sascha xander", "alexandra alex sandra sasha",
    "joseph joe sepp josef", "thomas tom tommy", "daniel dan danny", "david dave", "steven steve stephen stefan", "patricia pat patty trish",
    "susan sue susie susanne suse", "deborah deb debbie", "barbara barb babs baerbel", "rebecca becky", "jennifer jen jenny",
    "christopher chris kit christoph", "christina tina chris christine", "nicholas nick nico niklas nikolaus klaus", "andrew andy drew",
    "samuel sam sammy", "samantha sam", "benjamin ben benny", "matthew matt", "gregory greg", "jeffrey jeff geoffrey geoff", "ronald ron",
    "donald don", "kenneth ken", "lawrence larry", "leonard leo len lenny", "peter pete", "philip phil", "raymond ray", "timothy tim",
    "victoria vicky", "abigail abby", "gabriel gabe", "gabriele gabi", "johannes hannes hans jo", "friedrich fritz", "georg schorsch george",
    "heinrich heinz heiner", "ludwig lutz", "maximilian max", "sebastian bastian basti", "ulrich uli ulli", "wolfgang wolf", "eleanor ellie nell nora",
    "isabella bella izzy isabel", "oliver ollie", "amelia amy milly", "emily em emmy", "jacob jake", "joshua josh", "zachary zach", "nathaniel nat nathan",
    "johann johannes hans jean john giovanni juan jan jannot johnny", "karl carl charles carlo carlos", "wilhelm willi willy guillaume william guglielmo",
    "heinrich henri henry enrico heiner heinz", "friedrich fritz frederic frederick federico", "friederike friedl rike frederique", "franz francois francesco francis francisco",
    "ludwig louis luigi luis lutz", "georg georges giorgio jorge george", "jakob jacques james giacomo jacob", "peter pierre pietro pedro pierrot", "paul paolo pablo",
    "stefan stephan etienne stefano esteban stephen", "josef joseph giuseppe jose sepp beppe peppino", "michael michel michele miguel michi", "andreas andre andrea andrew",
    "martin martino", "matthias mathieu matteo matthew hias", "philipp philippe filippo felipe", "nikolaus nicolas nicola niklas klaus", "lorenz laurent lorenzo laurence",
    "anna anne ana annie aennchen nanni", "maria marie mary mariette manon mitzi", "katharina catherine caterina kathi cathy trine", "elisabeth elizabeth isabel elisabetta lisbeth lisl elise",
    "margarete margarethe marguerite margherita gretl gretel greta grete", "magdalena madeleine maddalena lena leni", "theresia therese teresa resi", "karoline caroline carolina lina line",
    "charlotte carlotta lotte lotti", "josefine josephine giuseppina fine josi", "susanne suzanne susanna susi", "helene helena elena leni", "johanna jeanne giovanna juana hanna hannah",
    "wilhelmine mina minna guglielmina", "barbara babette baerbel", "ilse elisabeth", "rosa rose rosi rosina", "luise louise luisa lulu",
    "florence firenze florenz florencia", "cologne koeln", "vienna wien vienne", "munich muenchen monaco", "milan milano mailand", "venice venezia venedig venise", "rome roma rom",
    "naples napoli neapel", "turin torino", "genoa genova genua", "geneva genf geneve ginevra", "prague praha prag", "warsaw warszawa warschau", "lisbon lisboa lissabon",
    "strasbourg strassburg", "brussels bruxelles bruessel", "antwerp antwerpen anvers", "copenhagen kopenhagen kobenhavn", "moscow moskau moscou", "athens athen athenes atene",
    "tokyo tokio", "kyoto kioto", "zurich zuerich zurigo", "basel bale basle", "nuremberg nuernberg", "seville sevilla", "crete kreta creta", "sicily sizilien sicilia sicile",
    "tuscany toskana toscana toscane", "germany deutschland allemagne germania", "france frankreich francia", "italy italien italia italie", "spain spanien espana espagne spagna",
    "switzerland schweiz suisse svizzera", "austria oesterreich autriche", "japan japon giappone", "greece griechenland grece grecia",
    "virginia ginny", "dorothy dot dolly dorothea", "mary molly polly", "sarah sally", "ann anne anna annie nancy", "helen nell lena helena", "agnes nessa",
)  # fmt: skip
_GROUPS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_FORMS):
    for _name in _line.split():
        _GROUPS[_name] = _GROUPS.get(_name, frozenset()) | {_number}


def is_nickname(left: str, right: str) -> bool:
    """Tells whether two words are forms of one given name or place."""
    return left != right and bool(_GROUPS.get(left, frozenset()) & _GROUPS.get(right, frozenset()))
